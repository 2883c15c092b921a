"""The rules core: tiles, sets, editions, verdicts and scores as pure functions on frozen values."""
