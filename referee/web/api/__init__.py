"""The page's HTTP interface: endpoints, and commands parsed into inputs of the match."""
