"""One file for each group of threats. A check yields refusals and knows nothing of the other checks."""
