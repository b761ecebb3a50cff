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
  %v9 = mul i64 %v6, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %p.scratch, ptr %v2, i64 %v9, i1 false)
  %v10 = mul i64 %v6, 4
  call void @muntin_stream(ptr %v4, ptr %p.scratch, i64 %v10)
  ret void
}

define internal void @muntin_stream(ptr noalias %target, ptr noalias readonly %source, i64 %count) #1 {
entry:
  %address = ptrtoint ptr %target to i64
  %negated = sub i64 0, %address
  %short = and i64 %negated, 63
  %small = icmp ult i64 %count, %short
  %head = select i1 %small, i64 %count, i64 %short
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %source, i64 %head, i1 false)
  %rest = sub i64 %count, %head
  %whole = and i64 %rest, -64
  %stop = add i64 %head, %whole
  br label %test
test:
  %i = phi i64 [ %head, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %stop
  br i1 %more, label %body, label %done
body:
  %from = getelementptr inbounds i8, ptr %source, i64 %i
  %to = getelementptr inbounds i8, ptr %target, i64 %i
  %line = load <8 x i64>, ptr %from, align 1
  store <8 x i64> %line, ptr %to, align 64, !nontemporal !{i32 1}
  %next = add nsw i64 %i, 64
  br label %test
done:
  %left = sub i64 %count, %stop
  %tail.to = getelementptr inbounds i8, ptr %target, i64 %stop
  %tail.from = getelementptr inbounds i8, ptr %source, i64 %stop
  call void @llvm.memcpy.p0.p0.i64(ptr %tail.to, ptr %tail.from, i64 %left, i1 false)
  ret void
}
