"""Gold: queries over silver that are computed again only for the keys that a change of an input touches."""
