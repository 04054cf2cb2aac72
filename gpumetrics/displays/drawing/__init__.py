"""What the displays share: axes and their room, colours, letters, names, heat maps, quantiles."""
