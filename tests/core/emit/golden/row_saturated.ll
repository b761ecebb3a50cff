define internal void @final(i64 %p.count, ptr noalias readonly %p.row0, ptr noalias %p.target0, i32 %p.scalar0) {
entry:
  br label %head.1
head.1:
  %v4 = phi i64 [ 0, %entry ], [ %v5, %body.2 ]
  %v6 = icmp slt i64 %v4, %p.count
  br i1 %v6, label %body.2, label %done.3
body.2:
  %v7 = getelementptr inbounds i16, ptr %p.row0, i64 %v4
  %v8 = load i16, ptr %v7, align 2
  %v9 = sext i16 %v8 to i32
  %v10 = add i32 %v9, %p.scalar0
  %v11 = call i32 @llvm.smin.i32(i32 %v10, i32 255)
  %v12 = call i32 @llvm.smax.i32(i32 %v11, i32 0)
  %v13 = trunc i32 %v12 to i8
  %v14 = getelementptr inbounds i8, ptr %p.target0, i64 %v4
  store i8 %v13, ptr %v14, align 1
  %v5 = add nsw i64 %v4, 1
  br label %head.1
done.3:
  ret void
}
