"""Best plays, initial melds in a rack and nearest legal tables, found exactly."""
