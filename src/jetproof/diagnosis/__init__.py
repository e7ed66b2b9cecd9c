"""From facts to findings: what is wrong, why we think so, what mends it."""
