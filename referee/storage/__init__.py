"""What survives a power cut: journal, profiles and evidence."""
