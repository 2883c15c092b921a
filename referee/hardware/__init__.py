"""Drivers: cameras, lamps, buzzer, buttons and the system clock."""
