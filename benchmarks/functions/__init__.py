"""Single functions that OpenCV has too, 1920 × 1080, one thread, into a given output."""
