"""Tables, tiles and what else lies about, drawn as a camera sees them: the renderer that training learns from."""
