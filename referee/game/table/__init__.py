"""What lies on the table, with all doubts: the tables a reading allows, and how two of them differ."""
