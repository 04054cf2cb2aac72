"""Where the data comes from: files on disk."""
