"""The languages: a gettext catalogue each, read at first use; `make texts` keeps them in step with the sources."""
