"""The hall: many tables on one broker shown on one wall, with the arbiter's decisions."""
