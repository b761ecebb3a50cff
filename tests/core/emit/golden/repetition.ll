define void @muntin_kernel(ptr noalias readonly %args, i64 %p.o0, i64 %p.o1, i64 %p.y0, i64 %p.y1, i64 %p.x0, i64 %p.x1, ptr noalias %p.scratch) #0 {
entry:
  %m.left = alloca i64
  %v1 = getelementptr inbounds i64, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %args, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr inbounds i64, ptr %args, i64 3
  %v8 = load float, ptr %v7, align 8
  store i64 %v6, ptr %m.left
  br label %test.9
test.9:
  %v12 = load i64, ptr %m.left
  %v13 = icmp sgt i64 %v12, 0
  br i1 %v13, label %body.10, label %done.11
body.10:
  %v14 = load i64, ptr %m.left
  %v15 = sub i64 %v14, 1
  store i64 %v15, ptr %m.left
  %v16 = load i64, ptr %m.left
  %v17 = getelementptr inbounds i32, ptr %v2, i64 %v16
  %v18 = load i32, ptr %v17, align 4
  %v19 = load i64, ptr %m.left
  %v20 = getelementptr inbounds i32, ptr %v4, i64 %v19
  store i32 %v18, ptr %v20, align 4
  br label %test.9
done.11:
  ret void
}
