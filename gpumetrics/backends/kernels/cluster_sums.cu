// Sums of rows over clusters, in two steps of a fixed order: over chunks of each cluster's rows, then over its chunks.
//
//   chunk_sums   launch: blocks of 256 threads, a thread per (chunk, feature)
//   fold_chunks  launch: blocks of 256 threads, a thread per (segment, feature)
//
// Neighbouring threads have neighbouring features, so that rows are read whole.

#include "warp.cuh"

// partial (n_chunks, d): sums of values (n, d) over the rows order[bounds[c]] to order[bounds[c + 1] - 1].
__global__ void __launch_bounds__(256)
chunk_sums(const double* __restrict__ values, const long long* __restrict__ order,
           const long long* __restrict__ bounds, long long n_chunks, long long d, double* __restrict__ partial)
{
    const long long at = thread_of_grid();
    if (at >= n_chunks * d) return;
    const long long chunk = at / d, feature = at % d;
    const long long stop = bounds[chunk + 1];
    double sum = 0;
#pragma unroll 8
    for (long long r = bounds[chunk]; r < stop; ++r) sum += values[order[r] * d + feature];
    partial[at] = sum;
}

// total (k, d): the partial sums of chunks first_chunk[s] to first_chunk[s + 1] - 1 are added to row cluster[s], which
// differs from segment to segment.
__global__ void __launch_bounds__(256)
fold_chunks(const double* __restrict__ partial, const long long* __restrict__ first_chunk,
            const long long* __restrict__ cluster, long long n_segments, long long d, double* __restrict__ total)
{
    const long long at = thread_of_grid();
    if (at >= n_segments * d) return;
    const long long segment = at / d, feature = at % d;
    const long long stop = first_chunk[segment + 1];
    double sum = 0;
#pragma unroll 8
    for (long long c = first_chunk[segment]; c < stop; ++c) sum += partial[c * d + feature];
    total[cluster[segment] * d + feature] += sum;
}
