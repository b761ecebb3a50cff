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
  %v17 = sitofp i32 %v16 to float
  %v18 = fmul float %v17, %v8
  %v19 = fcmp ogt float %v18, 0xC1E0000000000000
  %v20 = select i1 %v19, float %v18, float 0xC1E0000000000000
  %v21 = fcmp olt float %v20, 0x41DFFFFFE0000000
  %v22 = select i1 %v21, float %v20, float 0x41DFFFFFE0000000
  %v23 = fptosi float %v22 to i32
  %v24 = fcmp oge float %v18, 0x41E0000000000000
  %v25 = select i1 %v24, i32 2147483647, i32 %v23
  %v26 = fcmp ord float %v18, %v18
  %v27 = select i1 %v26, i32 %v25, i32 0
  %v28 = getelementptr inbounds i32, ptr %v4, i64 %v12
  store i32 %v27, ptr %v28, align 4
  %v13 = add nsw i64 %v12, 1
  br label %head.9
done.11:
  ret void
}
