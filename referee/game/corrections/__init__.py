"""Corrections of tiles by people, kept by place while the tiles stay there."""
