"""Sample files: writers of what DMS and Debezium write, the scenarios, and the demonstration. No product code."""
