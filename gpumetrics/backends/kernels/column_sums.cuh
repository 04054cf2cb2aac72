// Sums down one column of a tile over the clusters of its rows, in two steps of a fixed order: over chunks of the
// rows, each by another thread, then over what the chunks hold of the clusters that they cut.
#pragma once

#include "warp.cuh"

// Row r of the tile has the place row_start + r of the sorted order; row_cluster (n_rows,); starts (n_clusters + 1,).
// piece: all rows belong to one cluster, which goes on beyond them. Else they are whole clusters.
struct Rows {
    long long n, start;
    const long long* cluster;
    const long long* starts;
    int piece;
};

// Sum the rows first to stop - 1 of a column, whose first entry is tile[0]. meet(cluster, begin, end, sum) gets the sum
// over each cluster's rows that are among them; the cluster's rows of the tile are begin to end - 1.
template <typename T, typename Meet>
__device__ __forceinline__ void sum_column(const T* tile, long long n_cols, const Rows& rows, long long first,
                                           long long stop, const Meet& meet)
{
    constexpr int BATCH = 8;  // rows that a thread reads at once
    long long cluster = rows.cluster[first];
    long long begin = rows.piece ? first - 1 : rows.starts[cluster] - rows.start;
    long long end = rows.piece ? stop : rows.starts[cluster + 1] - rows.start;
    double sum = 0;
    const T* entry = tile + first * n_cols;
    for (long long row = first; row < stop; row += BATCH) {
        const int count = (int)min((long long)BATCH, stop - row);
        T value[BATCH];
        if (count == BATCH) {
#pragma unroll
            for (int b = 0; b < BATCH; ++b, entry += n_cols) value[b] = *entry;
        } else {
#pragma unroll
            for (int b = 0; b < BATCH; ++b, entry += n_cols) value[b] = b < count ? *entry : T(0);
        }
        if (end >= row + count) {
#pragma unroll
            for (int b = 0; b < BATCH; ++b) sum += (double)value[b];
            continue;
        }
#pragma unroll 1
        for (int b = 0; b < count; ++b) {
            if (row + b == end) {
                meet(cluster, begin, end, sum);
                sum = 0;
                begin = end;
                end = rows.starts[++cluster + 1] - rows.start;
            }
            sum += (double)pick(value, b);
        }
    }
    meet(cluster, begin, end, sum);
}

// Complete the clusters that the chunks cut. cut[0] is a column's sum over the cluster that began before the chunk,
// whether or not it ends in it, cut[n_cols] that over the one that begins in it and goes on after it; 0 where there is
// none. The next chunk's are `step` further. meet(cluster, sum) gets each.
template <typename Meet>
__device__ __forceinline__ void fold_column(const double* cut, long long step, long long n_cols, long long n_chunks,
                                            long long chunk, const Rows& rows, const Meet& meet)
{
    double sum = 0;
    for (long long c = 0; c < n_chunks; ++c, cut += step) {
        sum += cut[0];
        if (rows.piece) continue;
        const long long first = rows.start + c * chunk, stop = min(first + chunk, rows.start + rows.n);
        const long long head = rows.cluster[c * chunk], last = rows.cluster[stop - 1 - rows.start];
        if (rows.starts[head] < first && rows.starts[head + 1] <= stop) {
            meet(head, sum);
            sum = 0;
        }
        if (rows.starts[last] >= first && rows.starts[last + 1] > stop) sum = cut[n_cols];
    }
    if (rows.piece) meet(rows.cluster[0], sum);
}
