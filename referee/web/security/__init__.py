"""Host names, sessions, the PIN, and limits on connections and work."""
