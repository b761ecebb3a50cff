"""Graph, shapes, regions, plan, programs and emitters: pure, without memory, thread or device."""
