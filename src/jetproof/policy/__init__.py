"""Gates, tiers, waivers: the one source that everything above reads."""
