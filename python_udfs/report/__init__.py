"""`make report`: the state of all tables as one page, as JSON and as OpenMetrics text."""
