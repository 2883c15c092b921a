"""The languages: one gettext catalogue each, loaded at first use; `make texts` keeps them in step with the sources."""
