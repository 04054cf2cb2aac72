"""The CuPy path on the CPU: a strict stand-in for CuPy, and CUDA kernels compiled with g++."""
