define void @muntin_kernel(ptr noalias readonly %args, i64 %p.o0, i64 %p.o1, i64 %p.y0, i64 %p.y1, i64 %p.x0, i64 %p.x1, ptr noalias %p.scratch) #0 {
entry:
  %m.best = alloca i32
  %v1 = getelementptr inbounds i64, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr inbounds i64, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr inbounds i64, ptr %args, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr inbounds i64, ptr %args, i64 3
  %v8 = load float, ptr %v7, align 8
  store i32 0, ptr %m.best
  br label %head.9
head.9:
  %v12 = phi i64 [ 0, %entry ], [ %v13, %done.19 ]
  %v14 = icmp slt i64 %v12, %v6
  br i1 %v14, label %body.10, label %done.11
body.10:
  %v15 = getelementptr inbounds i32, ptr %v2, i64 %v12
  %v16 = load i32, ptr %v15, align 4
  %v20 = load i32, ptr %m.best
  %v21 = icmp sgt i32 %v16, %v20
  br i1 %v21, label %then.17, label %else.18
then.17:
  store i32 %v16, ptr %m.best
  br label %done.19
else.18:
  %v22 = load i32, ptr %m.best
  %v23 = add i32 %v22, 1
  store i32 %v23, ptr %m.best
  br label %done.19
done.19:
  %v24 = load i32, ptr %m.best
  %v25 = getelementptr inbounds i32, ptr %v4, i64 %v12
  store i32 %v24, ptr %v25, align 4
  %v13 = add nsw i64 %v12, 1
  br label %head.9, !llvm.loop !0
done.11:
  ret void
}
