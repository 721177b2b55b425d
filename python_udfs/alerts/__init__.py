"""Incidents: what needs a person, from its beginning to its end. A webhook or command is called for both."""
