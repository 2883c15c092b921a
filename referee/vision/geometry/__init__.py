"""Values in pixels and millimetres: quads, crops, homographies, optics; no networks."""
