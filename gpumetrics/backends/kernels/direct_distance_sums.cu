// Distances of the rows of one tile from differences of their features, and their sums over clusters for each row.
//
//   direct_row_sums<T, Metric>  T = float or double; Metric is one of metrics.cuh
//   quadratic_row_sums          Mahalanobis: the quadratic form of the difference, O(d^2) for each pair
//                               launch of both: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks
//
// Sums over clusters are double, and of a fixed order.

#include "direct_row.cuh"
#include "row_sums.cuh"

// tile (n_rows, n_cols) takes the distances. x is (n_rows, d), yt (d, n_cols): the columns' rows, transposed. weights
// (d,) or null: all 1. p is Minkowski's power; scale, a power of two, multiplies Euclidean differences.
template <typename T, template <typename> class Metric>
__global__ void __launch_bounds__(256, 2)
direct_row_sums(T* tile, long long n_rows, long long n_cols, const T* __restrict__ x, const T* __restrict__ yt,
                long long d, const double* __restrict__ weights, double p, double scale,
                const long long* __restrict__ row_place, long long col_start,
                const long long* __restrict__ col_cluster, const long long* __restrict__ starts,
                const long long* __restrict__ row_cluster, int piece, double* own, double* nearest, double* open)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    // By a shuffle, so that the compiler does not convert the argument again for each feature.
    const T scale_of_row = __shfl_sync(ALL_LANES, (T)scale, 0);
    const Settings<T> settings{p, scale_of_row};
    const DirectRow<T, Metric> source{tile + row * n_cols, x + row * d, yt, d, n_cols, weights, settings, true};
    const Nearest kept(starts, row_cluster, own, nearest, open, row);
    sum_row<T>(source, Columns{row_place, col_start, col_cluster, starts, piece}, kept, row, n_cols);
}

// As direct_row_sums; form is (d, d).
__global__ void __launch_bounds__(256, 3)
quadratic_row_sums(double* tile, long long n_rows, long long n_cols, const double* __restrict__ x,
                   const double* __restrict__ yt, long long d, const double* __restrict__ form,
                   const long long* __restrict__ row_place, long long col_start,
                   const long long* __restrict__ col_cluster, const long long* __restrict__ starts,
                   const long long* __restrict__ row_cluster, int piece, double* own, double* nearest, double* open)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const QuadraticRow source{tile + row * n_cols, x + row * d, yt, d, n_cols, form, true};
    const Nearest kept(starts, row_cluster, own, nearest, open, row);
    sum_row<double>(source, Columns{row_place, col_start, col_cluster, starts, piece}, kept, row, n_cols);
}
