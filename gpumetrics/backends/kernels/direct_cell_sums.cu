// Distances of the rows of one tile from differences of their features, and their sums over every cell for each row.
//
//   direct_cell_sums<T, Metric>  T = float or double; Metric is one of metrics.cuh
//   quadratic_cell_sums          Mahalanobis
//                                launch of both: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks
//
// As direct_distance_sums.cu, with cells for clusters. All sums are kept as in cell_sums.cu; the tile takes the
// distances if they are `wanted`.

#include "direct_row.cuh"
#include "row_sums.cuh"

template <typename T, template <typename> class Metric>
__global__ void __launch_bounds__(256, 2)
direct_cell_sums(T* tile, long long n_rows, long long n_cols, const T* __restrict__ x, const T* __restrict__ yt,
                 long long d, const double* __restrict__ weights, double p, double scale,
                 const long long* __restrict__ row_place, long long col_start, const long long* __restrict__ col_cell,
                 const long long* __restrict__ starts, int piece, int wanted, double* sums, long long stride)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const bool keep = wanted != 0;
    // By a shuffle, so that the compiler does not convert the argument again for each feature.
    const Settings<T> settings{p, __shfl_sync(ALL_LANES, (T)scale, 0)};
    const DirectRow<T, Metric> source{tile + row * n_cols, x + row * d, yt, d, n_cols, weights, settings, keep};
    const Columns columns{row_place, col_start, col_cell, starts, piece};
    sum_row<T>(source, columns, EverySum{sums, stride, row}, row, n_cols);
}

__global__ void __launch_bounds__(256, 3)
quadratic_cell_sums(double* tile, long long n_rows, long long n_cols, const double* __restrict__ x,
                    const double* __restrict__ yt, long long d, const double* __restrict__ form,
                    const long long* __restrict__ row_place, long long col_start,
                    const long long* __restrict__ col_cell, const long long* __restrict__ starts, int piece,
                    int wanted, double* sums, long long stride)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const QuadraticRow source{tile + row * n_cols, x + row * d, yt, d, n_cols, form, wanted != 0};
    const Columns columns{row_place, col_start, col_cell, starts, piece};
    sum_row<double>(source, columns, EverySum{sums, stride, row}, row, n_cols);
}
