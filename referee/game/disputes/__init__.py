"""What people say against a reading or a verdict: judged again, at once or once another player agrees."""
