"""Behind `silhouette_estimate`: the rows that are asked, what they say, reference rows, the result."""
