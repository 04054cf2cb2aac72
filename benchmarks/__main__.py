"""`python -m benchmarks`."""

import os
import sys

if __name__ == "__main__":
    # Settings that some machines carry for old BLAS builds: a current NumPy chooses its kernel itself, and faster.
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(name, None)
    from .cli import main

    sys.exit(main())
