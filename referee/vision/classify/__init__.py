"""What each tile shows."""
