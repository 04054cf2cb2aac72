"""Reports of tags: scores, intervals and notes of `evaluate_tags`, and the change from one report to another."""
