"""Feeds whose location is a Kafka broker: what is there, what a run reads of it, and how it is committed."""
