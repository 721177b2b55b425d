"""Arriving files: the listing of the landing area, and the split of files that hold changes of many tables."""
