"""One file a rule. A rule's docstring is its documentation page."""
