"""The hall: many tables on one broker become one picture, with what the arbiter decides beside it."""
