"""Who may ask how much: hosts, sessions, the PIN, and limits on connections and work."""
