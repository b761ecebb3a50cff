define internal void @final(i64 %p.count, ptr noalias readonly %p.row0, ptr noalias readonly %p.row1, ptr noalias %p.target0) {
entry:
  br label %head.1
head.1:
  %v4 = phi i64 [ 0, %entry ], [ %v5, %body.2 ]
  %v6 = icmp slt i64 %v4, %p.count
  br i1 %v6, label %body.2, label %done.3
body.2:
  %v7 = getelementptr inbounds i8, ptr %p.row0, i64 %v4
  %v8 = load i8, ptr %v7, align 1
  %v9 = uitofp i8 %v8 to float
  %v10 = getelementptr inbounds float, ptr %p.row1, i64 %v4
  %v11 = load float, ptr %v10, align 4
  %v12 = fmul float %v9, %v11
  %v13 = fcmp ogt float %v12, 0x0000000000000000
  %v14 = select i1 %v13, float %v12, float 0x0000000000000000
  %v15 = fcmp olt float %v14, 0x406FE00000000000
  %v16 = select i1 %v15, float %v14, float 0x406FE00000000000
  %v17 = fptosi float %v16 to i32
  %v18 = trunc i32 %v17 to i8
  %v19 = getelementptr inbounds i8, ptr %p.target0, i64 %v4
  store i8 %v18, ptr %v19, align 1
  %v5 = add nsw i64 %v4, 1
  br label %head.1
done.3:
  ret void
}
