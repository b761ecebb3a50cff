define internal void @final(i64 %p.count, ptr noalias readonly %p.row0, ptr noalias %p.target0) {
entry:
  br label %head.1
head.1:
  %v4 = phi i64 [ 0, %entry ], [ %v5, %body.2 ]
  %v6 = icmp slt i64 %v4, %p.count
  br i1 %v6, label %body.2, label %done.3
body.2:
  %v7 = getelementptr inbounds i8, ptr %p.row0, i64 %v4
  %v8 = getelementptr inbounds i8, ptr %v7, i64 -1
  %v9 = load i8, ptr %v8, align 1
  %v10 = getelementptr inbounds i8, ptr %p.row0, i64 %v4
  %v11 = load i8, ptr %v10, align 1
  %v12 = add i8 %v9, %v11
  %v13 = getelementptr inbounds i8, ptr %p.row0, i64 %v4
  %v14 = getelementptr inbounds i8, ptr %v13, i64 1
  %v15 = load i8, ptr %v14, align 1
  %v16 = add i8 %v12, %v15
  %v17 = getelementptr inbounds i8, ptr %p.target0, i64 %v4
  store i8 %v16, ptr %v17, align 1
  %v5 = add nsw i64 %v4, 1
  br label %head.1
done.3:
  ret void
}
