"""The web page for phones: shows the referee's State and takes commands."""
