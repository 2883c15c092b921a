"""What people said of tiles, kept by place while tiles lie there."""
