"""The Python half of the project; README.md describes each package."""
