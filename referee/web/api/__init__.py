"""The addresses of the page: what each answers, and what each command means to the match."""
