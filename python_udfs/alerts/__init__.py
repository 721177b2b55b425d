"""Incidents: what needs a person, from its beginning to its end, and a call to a webhook or a command for each of both."""
