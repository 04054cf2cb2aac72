"""Scores of predicted labels and label sets: formulas over counts."""
