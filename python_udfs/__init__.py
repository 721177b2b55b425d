"""The Python half of the project; README.md says what each package is for."""
