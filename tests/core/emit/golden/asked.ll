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
  %v9 = getelementptr i8, ptr %v2, i64 -64
  call void @llvm.prefetch.p0(ptr %v9, i32 0, i32 2, i32 1)
  ret void
}
