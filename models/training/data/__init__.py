"""What the nets learn from: rendered tables, photographs, and what a camera makes of both."""
