define void @muntin_kernel(ptr noalias readonly %args, i64 %p.o0, i64 %p.o1, i64 %p.y0, i64 %p.y1, i64 %p.x0, i64 %p.x1, ptr noalias %p.scratch) #0 {
entry:
  %v1 = getelementptr inbounds i64, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %args, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr inbounds i64, ptr %args, i64 3
  %v8 = load float, ptr %v7, align 8
  %v9 = sub i64 %v6, 1
  br label %head.10
head.10:
  %v13 = phi i64 [ 1, %entry ], [ %v14, %body.11 ]
  %v15 = icmp slt i64 %v13, %v9
  br i1 %v15, label %body.11, label %done.12
body.11:
  %v16 = getelementptr inbounds i32, ptr %v2, i64 %v13
  %v17 = getelementptr inbounds i32, ptr %v16, i64 -1
  %v18 = load i32, ptr %v17, align 4
  %v19 = getelementptr inbounds i32, ptr %v2, i64 %v13
  %v20 = getelementptr inbounds i32, ptr %v19, i64 1
  %v21 = load i32, ptr %v20, align 4
  %v22 = add i32 %v18, %v21
  %v23 = getelementptr inbounds i32, ptr %v4, i64 %v13
  store i32 %v22, ptr %v23, align 4
  %v14 = add nsw i64 %v13, 1
  br label %head.10
done.12:
  ret void
}
