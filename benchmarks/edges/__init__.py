"""Gaussian 3×3, Sobel in x and y, |gx| + |gy|, threshold: one image, uint8 in and out."""
