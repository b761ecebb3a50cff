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
  %v9 = getelementptr inbounds i8, ptr %p.row1, i64 %v4
  %v10 = load i8, ptr %v9, align 1
  %v11 = add i8 %v8, %v10
  %v12 = getelementptr inbounds i8, ptr %p.target0, i64 %v4
  store i8 %v11, ptr %v12, align 1
  %v5 = add nsw i64 %v4, 1
  br label %head.1
done.3:
  ret void
}
