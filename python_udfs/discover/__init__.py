"""`make discover`: proposes rows of metadata from a database or from a folder of files, for review."""
