define internal void @final(i64 %p.count, ptr noalias readonly %p.row0, ptr noalias %p.target0, ptr noalias %p.target1, i16 %p.scalar0) {
entry:
  br label %head.1
head.1:
  %v4 = phi i64 [ 0, %entry ], [ %v5, %body.2 ]
  %v6 = icmp slt i64 %v4, %p.count
  br i1 %v6, label %body.2, label %done.3
body.2:
  %v7 = getelementptr inbounds i16, ptr %p.row0, i64 %v4
  %v8 = load i16, ptr %v7, align 2
  %v9 = icmp slt i16 %v8, 0
  %v10 = select i1 %v9, i16 %p.scalar0, i16 %v8
  %v11 = getelementptr inbounds i8, ptr %p.target0, i64 %v4
  %v12 = zext i1 %v9 to i8
  store i8 %v12, ptr %v11, align 1
  %v13 = getelementptr inbounds i16, ptr %p.target1, i64 %v4
  store i16 %v10, ptr %v13, align 2
  %v5 = add nsw i64 %v4, 1
  br label %head.1
done.3:
  ret void
}
