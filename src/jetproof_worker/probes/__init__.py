"""One file a probe. A probe's docstring is its documentation page."""
