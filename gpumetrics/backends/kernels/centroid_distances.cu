// Distances of rows to centroids, and between centroids, from their products; differences where those are inexact.
//
//   nearest_means  mean distance of each row to the nearest cluster that is not its own, in closed form
//   centroid_gaps  products of centroids -> distances, in place
//   launch of both: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks
//
// A centroid is anchor + shift: a row of the cluster, and the mean deviation from it. The sum is never rounded.

#include "warp.cuh"

// gram (n_rows, k_part): products of rows and centroids about a common point; row_norms (n_rows,) and norms (k_part,):
// their squared lengths. The mean distance to all members of a cluster is weight * |x - centroid|^2 + extra. Squared
// distances below max(share * (row_norm + norm), 2 * floor) come from the difference, and are 0 up to floor.
// rows (n_rows, d); anchor, shift (k_part, d), norms, extra (k_part,) are those of clusters first to first + k_part;
// codes (n_rows,): the row's own cluster; nearest (n_rows,) becomes the smaller of itself and the means.
__global__ void __launch_bounds__(256, 3)
nearest_means(const double* __restrict__ gram, long long n_rows, long long k_part, const double* __restrict__ rows,
              const double* __restrict__ anchor, const double* __restrict__ shift, long long d,
              const double* __restrict__ row_norms, const double* __restrict__ norms, const double* __restrict__ extra,
              const long long* __restrict__ codes, long long first, double share, double weight, double floor,
              double* nearest)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const double* products = gram + row * k_part;
    const double* x = rows + row * d;
    const double row_norm = row_norms[row];
    const long long own = codes[row] - first;
    double best = infinity();
    auto direct = [&](long long c) {
        double square = 0;
#pragma unroll 1
        for (long long f = lane_of_warp(); f < d; f += WARP) {
            const double difference = (x[f] - anchor[c * d + f]) - shift[c * d + f];
            square += difference * difference;
        }
        square = warp_sum(square);
        return square <= floor ? 0 : square;
    };
    for (long long base = 0; base < k_part; base += STRETCH) {
        const int count = columns_of_stretch(base, k_part), entries = entries_of(base, count, own);
        double square[WIDTH], both[WIDTH], more[WIDTH];
        load_stretch(products + base, count, square);
        load_stretch(norms + base, count, both);
        load_stretch(extra + base, count, more);
        int doubtful = 0;
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            both[u] += row_norm;
            square[u] = both[u] - 2 * square[u];
            if (!(square[u] >= fmax(share * both[u], 2 * floor))) doubtful |= 1 << u;
        }
        recompute(doubtful & entries, base, square, direct);
#pragma unroll
        for (int u = 0; u < WIDTH; ++u)
            if (entries >> u & 1) best = smaller(best, weight * square[u] + more[u]);
    }
    best = warp_smallest(best);
    if (lane_of_warp() == 0) nearest[row] = smaller(nearest[row], best);
}

// gram (n_rows, k): products of centroids first_row to first_row + n_rows and all, about a common point. anchor, shift
// (k, d), norms (k,): squared lengths about that point, rms (k,): root mean square of the members' distances to their
// centroid. Squared distances below share * (norm + norm) come from the difference. Centroids within coincident *
// (rms + rms) of each other coincide: 0. A centroid and itself: inf.
__global__ void __launch_bounds__(256, 3)
centroid_gaps(double* gram, long long n_rows, long long k, long long first_row, const double* __restrict__ anchor,
              const double* __restrict__ shift, long long d, const double* __restrict__ norms,
              const double* __restrict__ rms, double share, double coincident)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const long long i = first_row + row;
    double* products = gram + row * k;
    auto direct = [&](long long j) {
        double square = 0;
#pragma unroll 1
        for (long long f = lane_of_warp(); f < d; f += WARP) {
            const double difference =
                (anchor[i * d + f] - anchor[j * d + f]) + (shift[i * d + f] - shift[j * d + f]);
            square += difference * difference;
        }
        return warp_sum(square);
    };
    for (long long base = 0; base < k; base += STRETCH) {
        const int count = columns_of_stretch(base, k), entries = entries_of(base, count, i);
        double square[WIDTH], both[WIDTH], spread[WIDTH];
        load_stretch(products + base, count, square);
        load_stretch(norms + base, count, both);
        load_stretch(rms + base, count, spread);
        int doubtful = 0;
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            both[u] += norms[i];
            square[u] = both[u] - 2 * square[u];
            if (!(square[u] >= share * both[u])) doubtful |= 1 << u;
        }
        recompute(doubtful & entries, base, square, direct);
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            const double gap = entries >> u & 1 ? sqrt(square[u]) : infinity();
            square[u] = gap <= coincident * (rms[i] + spread[u]) ? 0 : gap;
        }
        store_stretch(products + base, count, square);
    }
}
