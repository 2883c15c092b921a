"""What survives a pulled plug: journal, profiles and evidence."""
