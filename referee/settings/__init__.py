"""Every setting: its range, unit and sentence; loading and checking; what the page changes."""
