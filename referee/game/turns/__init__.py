"""Within a turn: the press, the look, the verdict, drawing, putting back, taking back, and breaks."""
