define internal void @magnitudes(ptr noalias %p.target, ptr noalias readonly %p.source, i64 %p.count) #1 {
entry:
  br label %head.1
head.1:
  %v4 = phi i64 [ 0, %entry ], [ %v5, %body.2 ]
  %v6 = icmp slt i64 %v4, %p.count
  br i1 %v6, label %body.2, label %done.3
body.2:
  %v7 = getelementptr inbounds i32, ptr %p.source, i64 %v4
  %v8 = load i32, ptr %v7, align 4
  %v9 = call i32 @llvm.abs.i32(i32 %v8, i1 false)
  %v10 = getelementptr inbounds i32, ptr %p.target, i64 %v4
  store i32 %v9, ptr %v10, align 4
  %v5 = add nsw i64 %v4, 1
  br label %head.1
done.3:
  ret void
}

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
  call void @magnitudes(ptr %v4, ptr %v2, i64 %v6)
  ret void
}
