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
  %v12 = phi i64 [ 0, %entry ], [ %v13, %body.10 ]
  %v14 = icmp slt i64 %v12, %v6
  br i1 %v14, label %body.10, label %done.11
body.10:
  %v15 = getelementptr inbounds i32, ptr %v2, i64 %v12
  %v16 = load i32, ptr %v15, align 4
  %v17 = icmp slt i32 %v16, 0
  %v18 = getelementptr i8, ptr %p.scratch, i64 64
  %v19 = getelementptr inbounds i8, ptr %v18, i64 %v12
  %v20 = zext i1 %v17 to i8
  store i8 %v20, ptr %v19, align 1
  %v13 = add nsw i64 %v12, 1
  br label %head.9, !llvm.loop !0
done.11:
  br label %head.21
head.21:
  %v24 = phi i64 [ 0, %done.11 ], [ %v25, %body.22 ]
  %v26 = icmp slt i64 %v24, %v6
  br i1 %v26, label %body.22, label %done.23
body.22:
  %v27 = getelementptr i8, ptr %p.scratch, i64 64
  %v28 = getelementptr inbounds i8, ptr %v27, i64 %v24
  %v29 = load i8, ptr %v28, align 1
  %v30 = icmp ne i8 %v29, 0
  %v31 = getelementptr inbounds i32, ptr %v2, i64 %v24
  %v32 = load i32, ptr %v31, align 4
  %v33 = select i1 %v30, i32 -1, i32 %v32
  %v34 = getelementptr inbounds i32, ptr %v4, i64 %v24
  store i32 %v33, ptr %v34, align 4
  %v25 = add nsw i64 %v24, 1
  br label %head.21, !llvm.loop !3
done.23:
  ret void
}
