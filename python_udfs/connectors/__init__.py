"""What is known of each source format, a module each. README.md says what to write for another one."""
