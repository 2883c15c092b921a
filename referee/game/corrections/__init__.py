"""What people said of tiles, kept by place while the tiles lie there."""
