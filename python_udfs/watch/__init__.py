"""`make watch`: one long-running process that builds the tables whose files have come, and what depends on them."""
