"""What calibration finds out about a camera, a table and a box."""
