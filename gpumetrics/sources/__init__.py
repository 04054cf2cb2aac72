"""Where the data comes from: files on disk, which need not fit into memory."""

from gpumetrics.sources.chunks import RowChunks, open_rows
from gpumetrics.sources.specs import InputFileError

__all__ = ["InputFileError", "RowChunks", "open_rows"]
