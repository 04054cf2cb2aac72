"""Plots of results, in scikit-learn's convention for displays."""
