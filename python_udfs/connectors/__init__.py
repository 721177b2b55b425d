"""The rules of each source format, a module each. README.md describes how to add one."""
