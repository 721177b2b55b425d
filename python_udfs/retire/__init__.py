"""Takes feeds and tables out of the project: their rows of the seeds, their models and, if asked, their tables."""
