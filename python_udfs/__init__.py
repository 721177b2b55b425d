"""The Python half of the project: metadata, generator of models, feeds and the demo's data."""
