"""`make quality`: judges what is expected of silver tables, with Great Expectations. docs/quality.md."""
