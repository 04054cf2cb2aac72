// From the distances of one row of a tile to sums over the clusters of its columns, and what is kept of them. A warp
// works on a row; the tile's columns are sorted by cluster.
#pragma once

#include "warp.cuh"

// What all row kernels know of the columns. Rows and columns are those of the tile, so the pointers are offset to it;
// `starts` (n_clusters + 1,) and `place`s belong to the sorted order of all rows.
//   row_place (n_rows,)    place of each row; the entry of the column at the same place is the row itself: distance 0
//   col_start              place of the first column
//   col_cluster (n_cols,)  ascending
//   piece                  0: the columns are whole clusters.  1: a piece of one cluster.  2: its last piece
struct Columns {
    const long long* row_place;
    long long col_start;
    const long long* col_cluster;
    const long long* starts;
    int piece;
};

__device__ __forceinline__ double size_of(const long long* starts, long long cluster)
{
    return (double)(starts[cluster + 1] - starts[cluster]);
}

// The sum over a cluster's last piece, and the earlier ones', become the mean to it, or the sum to the own cluster.
__device__ __forceinline__ void add_piece(double sum, bool last, bool is_own, double size, double* own, double* nearest,
                                          double* open)
{
    double opened = *open + sum;
    if (last) {
        if (is_own)
            *own = opened;
        else
            *nearest = smaller(*nearest, opened / size);
        opened = 0;
    }
    *open = opened;
}

// Kept of a row: the sum to its own cluster and the smallest mean to another; (n_rows,) each, as is row_cluster.
//   piece 0     own = sum over the row's own cluster; nearest = min(nearest, means of the others)
//   piece 1, 2  open += sum; after the last piece it makes own or nearest, and becomes 0
struct Nearest {
    const long long* starts;
    double* own;
    double* nearest;
    double* open;
    const long long row, row_cluster;
    double best = infinity();

    __device__ __forceinline__ Nearest(const long long* starts, const long long* row_cluster, double* own,
                                       double* nearest, double* open, long long row)
        : starts(starts), own(own), nearest(nearest), open(open), row(row), row_cluster(row_cluster[row])
    {
    }

    __device__ __forceinline__ void meet(long long cluster, double sum)
    {
        if (cluster == row_cluster)
            own[row] = sum;
        else
            best = smaller(best, sum / size_of(starts, cluster));
    }

    __device__ __forceinline__ void meet_piece(long long cluster, double sum, bool last)
    {
        add_piece(sum, last, cluster == row_cluster, size_of(starts, cluster), own + row, nearest + row, open + row);
    }

    __device__ __forceinline__ void finish()
    {
        best = warp_smallest(best);
        if (lane_of_warp() == 0) nearest[row] = smaller(nearest[row], best);
    }
};

// Kept of a row: the sums to all clusters, sums[cluster * stride + row]; 0 before the first piece of a cluster.
struct EverySum {
    double* sums;
    const long long stride, row;

    __device__ __forceinline__ void meet(long long cluster, double sum) { sums[cluster * stride + row] = sum; }

    __device__ __forceinline__ void meet_piece(long long cluster, double sum, bool)
    {
        sums[cluster * stride + row] += sum;
    }

    __device__ __forceinline__ void finish() {}
};

// One cluster is open at a time. While `spread`, each lane holds a part of its sum; else every lane holds all of it.
template <typename Kept>
struct RowSums {
    const Columns& columns;
    Kept& kept;
    long long current = -1;
    double sum = 0;
    bool spread = false;

    __device__ __forceinline__ RowSums(const Columns& columns, Kept& kept) : columns(columns), kept(kept) {}

    // A stretch within one cluster: no shuffle.
    __device__ __forceinline__ void add_run(long long cluster, double value)
    {
        if (cluster != current) {
            close();
            current = cluster;
        }
        if (!spread && lane_of_warp() != 0) sum = 0;
        spread = true;
        sum += value;
    }

    // 32 columns (fewer at the end of a row: then `value` is 0 beyond), one to a lane, of several clusters:
    // a scan that starts again with each.
    __device__ __forceinline__ void add_mixed(long long column, int count, double value)
    {
        const int lane = lane_of_warp();
        const long long mine = columns.col_cluster[column + (lane < count ? lane : count - 1)];
        const long long before = columns.col_start + column;
        const int begin = (int)max(columns.starts[mine] - before, 0ll);
        const int end = (int)min(columns.starts[mine + 1] - before, (long long)WARP + 1);
        if (__shfl_sync(ALL_LANES, mine, 0) != current) close();
        const double carried = total();
        if (lane == 0) value += carried;
        for (int step = 1; __any_sync(ALL_LANES, lane - step >= begin); step *= 2) {
            const double other = __shfl_up_sync(ALL_LANES, value, step);
            if (lane - step >= begin) value += other;
        }
        if (lane + 1 == end) kept.meet(mine, value);
        sum = __shfl_sync(ALL_LANES, value, WARP - 1);
        spread = false;
        const long long last = __shfl_sync(ALL_LANES, mine, WARP - 1);
        current = __shfl_sync(ALL_LANES, end, WARP - 1) > count ? last : -1;
    }

    __device__ __forceinline__ void finish()
    {
        if (columns.piece != 0) {
            const double all = total();
            if (lane_of_warp() == 0) kept.meet_piece(current, all, columns.piece == 2);
            return;
        }
        close();
        kept.finish();
    }

private:
    __device__ __forceinline__ double total() const { return spread ? warp_sum(sum) : sum; }

    __device__ __forceinline__ void close()
    {
        const double all = total();
        if (current >= 0 && lane_of_warp() == 0) kept.meet(current, all);
        current = -1;
        sum = 0;
        spread = false;
    }
};

// Sum one row. `source.distances(base, count, entries, value)` gives a stretch, of which only `entries` matter (see
// entries_of); `source.keep(base, count, value)` stores it.
template <typename T, typename Source, typename Kept>
__device__ __forceinline__ void sum_row(const Source& source, const Columns& columns, Kept kept, long long row,
                                        long long n_cols)
{
    RowSums<Kept> sums(columns, kept);
    const long long self = columns.row_place[row] - columns.col_start;
    for (long long base = 0; base < n_cols; base += STRETCH) {
        const int count = columns_of_stretch(base, n_cols);
        const long long first = columns.col_cluster[base], last = columns.col_cluster[base + count - 1];
        const int entries = entries_of(base, count, self);
        T value[WIDTH];
        source.distances(base, count, entries, value);
        double together = 0;
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            if (!(entries >> u & 1)) value[u] = 0;
            together += (double)value[u];
        }
        source.keep(base, count, value);
        if (first == last) {
            sums.add_run(first, together);
            continue;
        }
#pragma unroll 1
        for (int at = 0; at < count; at += WARP) {
            const int here = min(count - at, WARP);
            const long long cluster = columns.col_cluster[base + at];
            const double mine = (double)pick(value, at / WARP);
            if (cluster == columns.col_cluster[base + at + here - 1])
                sums.add_run(cluster, mine);
            else
                sums.add_mixed(base + at, here, mine);
        }
    }
    sums.finish();
}
