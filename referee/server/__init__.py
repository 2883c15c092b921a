"""What the page and the hall share: addresses, files, sessions, PIN and limits."""
