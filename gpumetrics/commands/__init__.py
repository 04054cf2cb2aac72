"""The subcommands of ``gpumetrics``; each module adds its parser and runs it."""
