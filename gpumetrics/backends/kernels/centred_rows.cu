// Rows about a common point, for products whose digits are those of the distances.
//
//   centred_rows<T>  T = float or double
//                    launch: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks

#include "warp.cuh"

// out (n_rows, d) = (rows - centre) * scale, for rows (n_rows, d) and centre (d,); scale is a power of two.
// norms (n_rows,): the squared lengths of the rows of out, which are summed in double.
template <typename T>
__global__ void __launch_bounds__(256)
centred_rows(const T* __restrict__ rows, const T* __restrict__ centre, long long n_rows, long long d, double scale,
             T* __restrict__ out, T* __restrict__ norms)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    double square = 0;
#pragma unroll 4
    for (long long f = lane_of_warp(); f < d; f += WARP) {
        const T centred = (rows[row * d + f] - centre[f]) * (T)scale;
        out[row * d + f] = centred;
        square += (double)centred * (double)centred;
    }
    square = warp_sum(square);
    if (lane_of_warp() == 0) norms[row] = (T)square;
}
