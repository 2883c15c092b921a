"""What people state of tiles, kept by place while tiles lie there."""
