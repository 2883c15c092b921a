"""What changes between the frames of a camera that keeps still."""
