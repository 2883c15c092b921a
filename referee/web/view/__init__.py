"""The data that pages show: State, history and pictures; pure values without a server."""
