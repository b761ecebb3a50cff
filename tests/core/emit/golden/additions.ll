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
  %v12 = phi i64 [ 0, %entry ], [ %v13, %done.20 ]
  %v14 = icmp slt i64 %v12, %v6
  br i1 %v14, label %body.10, label %done.11
body.10:
  %v15 = getelementptr inbounds i32, ptr %v2, i64 %v12
  %v16 = load i32, ptr %v15, align 4
  %v17 = atomicrmw add ptr %v4, i32 %v16 monotonic
  %v21 = icmp sgt i32 %v17, 100
  br i1 %v21, label %then.18, label %done.20
then.18:
  ret void
never.22:
  br label %done.20
done.20:
  %v13 = add nsw i64 %v12, 1
  br label %head.9, !llvm.loop !0
done.11:
  ret void
}
