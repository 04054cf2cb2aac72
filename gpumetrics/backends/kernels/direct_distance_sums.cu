// Distances of the rows of one tile from differences of their features, and their sums over clusters for each row.
//
//   direct_row_sums<T, Metric>  T = float or double; Metric is one of metrics.cuh
//   quadratic_row_sums          Mahalanobis: the quadratic form of the difference, O(d^2) for each pair
//                               launch of both: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks
//
// Sums over clusters are double, and of a fixed order.

#include "metrics.cuh"
#include "row_sums.cuh"

// A lane has whole distances: its columns are neighbours of the other lanes', so it reads y transposed.
template <typename T, template <typename> class Metric>
struct DirectRow {
    T* out;
    const T* x;
    const T* yt;
    long long d, n_cols;
    const double* weights;
    Settings<T> settings;

    __device__ __forceinline__ void distances(long long base, int count, int entries, T (&value)[WIDTH]) const
    {
        Metric<T> pair[WIDTH];
        if (count == STRETCH && weights == nullptr)
            take_in<true>(yt + base + lane_of_warp(), count, pair);
        else
            take_in<false>(yt + base + lane_of_warp(), count, pair);
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            value[u] = (T)pair[u].result(settings);
            if (!pair[u].exact() && (entries >> u & 1))
                value[u] = (T)in_double(yt + base + slot_of(u));
        }
    }

    // PLAIN: a whole stretch, without weights. The loop is then as short as it can be; two features at a time only
    // where registers are plenty.
    template <bool PLAIN>
    __device__ __forceinline__ void take_in(const T* y, int count, Metric<T> (&pair)[WIDTH]) const
    {
        const T* mine = x;
#pragma unroll(PLAIN && sizeof(T) == 4 ? 2 : 1)
        for (long long f = 0; f < d; ++f, ++mine, y += n_cols) {
            const T own = *mine;
            const double weight = PLAIN || weights == nullptr ? 1 : weights[f];
#pragma unroll
            for (int u = 0; u < WIDTH; ++u)
                pair[u].add(own, PLAIN || slot_of(u) < count ? y[u * WARP] : T(0), weight, settings);
        }
    }

    __device__ double in_double(const T* y) const
    {
        const Settings<double> same{settings.p, settings.scale};
        Metric<double> pair;
#pragma unroll 1
        for (long long f = 0; f < d; ++f) pair.add(x[f], y[f * n_cols], weights != nullptr ? weights[f] : 1, same);
        return pair.result(same);
    }

    __device__ __forceinline__ void keep(long long base, int count, const T (&value)[WIDTH]) const
    {
        store_stretch(out + base, count, value);
    }
};

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
    const DirectRow<T, Metric> source{tile + row * n_cols, x + row * d, yt, d, n_cols, weights, {p, scale_of_row}};
    const Reduction to{row_place, col_start, col_cluster, starts, row_cluster, piece, own, nearest, open};
    sum_row<T>(source, to, row, n_cols);
}

// sqrt(sum of form[f, g] * difference[f] * difference[g]): differences first, so that near rows keep their digits.
struct QuadraticRow {
    double* out;
    const double* x;
    const double* yt;
    long long d, n_cols;
    const double* form;

    __device__ __forceinline__ void distances(long long base, int count, int, double (&value)[WIDTH]) const
    {
        const double* y = yt + base;
        double total[WIDTH] = {};
        for (long long f = 0; f < d; ++f) {
            double inner[WIDTH] = {};
            for (long long g = 0; g < d; ++g) {
                const double weight = form[f * d + g], mine = x[g];
#pragma unroll
                for (int u = 0; u < WIDTH; ++u)
                    if (slot_of(u) < count) inner[u] += weight * (mine - y[g * n_cols + slot_of(u)]);
            }
#pragma unroll
            for (int u = 0; u < WIDTH; ++u)
                if (slot_of(u) < count) total[u] += inner[u] * (x[f] - y[f * n_cols + slot_of(u)]);
        }
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) value[u] = sqrt(total[u]);
    }

    __device__ __forceinline__ void keep(long long base, int count, const double (&value)[WIDTH]) const
    {
#pragma unroll
        for (int u = 0; u < WIDTH; ++u)
            if (slot_of(u) < count) out[base + slot_of(u)] = value[u];
    }
};

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
    const QuadraticRow source{tile + row * n_cols, x + row * d, yt, d, n_cols, form};
    const Reduction to{row_place, col_start, col_cluster, starts, row_cluster, piece, own, nearest, open};
    sum_row<double>(source, to, row, n_cols);
}
