"""The page's interface: its addresses, and what each command means to the match."""
