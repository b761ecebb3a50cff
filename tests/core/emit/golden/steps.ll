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
  br label %head.9
head.9:
  %v12 = phi i64 [ 0, %entry ], [ %v13, %done.19 ]
  %v14 = icmp slt i64 %v12, %v6
  br i1 %v14, label %body.10, label %done.11
body.10:
  %v15 = add i64 %v12, 8
  %v16 = call i64 @llvm.smin.i64(i64 %v15, i64 %v6)
  br label %head.17
head.17:
  %v20 = phi i64 [ %v12, %body.10 ], [ %v21, %body.18 ]
  %v22 = icmp slt i64 %v20, %v16
  br i1 %v22, label %body.18, label %done.19
body.18:
  %v23 = getelementptr inbounds i32, ptr %v2, i64 %v20
  %v24 = load i32, ptr %v23, align 4
  %v25 = getelementptr inbounds i32, ptr %v2, i64 %v12
  %v26 = load i32, ptr %v25, align 4
  %v27 = sub i32 %v24, %v26
  %v28 = getelementptr inbounds i32, ptr %v4, i64 %v20
  store i32 %v27, ptr %v28, align 4
  %v21 = add nsw i64 %v20, 1
  br label %head.17, !llvm.loop !0
done.19:
  %v13 = add nsw i64 %v12, 8
  br label %head.9, !llvm.loop !3
done.11:
  ret void
}
