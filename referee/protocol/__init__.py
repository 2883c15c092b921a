"""What any screen, phone or hall may say to a match and see of it."""
