// From the distances of one row of a tile to what is kept of them: the sum to the row's own cluster and the smallest
// mean to another. A warp works on a row; the tile's columns are sorted by cluster.
#pragma once

#include "warp.cuh"

// The arguments that all row kernels end with. Rows and columns are those of the tile, so the pointers are offset to
// it; `starts` (n_clusters + 1,) and `place`s belong to the sorted order of all rows.
//   row_place (n_rows,)    place of each row; the entry of the column at the same place is the row itself: distance 0
//   col_start              place of the first column
//   col_cluster (n_cols,)  ascending;  row_cluster (n_rows,)
//   piece 0: the columns are whole clusters.  own = sum over the row's own; nearest = min(nearest, means of the others)
//   piece 1: they are a piece of one cluster.  open += sum
//   piece 2: they are its last piece.  The sum and what is open make own or nearest, and open becomes 0
//   own, nearest, open (n_rows,)
struct Reduction {
    const long long* row_place;
    long long col_start;
    const long long* col_cluster;
    const long long* starts;
    const long long* row_cluster;
    int piece;
    double* own;
    double* nearest;
    double* open;
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

// One cluster is open at a time. While `spread`, each lane holds a part of its sum; else every lane holds all of it.
struct RowSums {
    const Reduction& to;
    const long long row, row_cluster;
    long long current = -1;
    double sum = 0;
    bool spread = false;
    double best = infinity();

    __device__ __forceinline__ RowSums(const Reduction& to, long long row)
        : to(to), row(row), row_cluster(to.row_cluster[row])
    {
    }

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
        const long long mine = to.col_cluster[column + (lane < count ? lane : count - 1)];
        const long long before = to.col_start + column;
        const int begin = (int)max(to.starts[mine] - before, 0ll);
        const int end = (int)min(to.starts[mine + 1] - before, (long long)WARP + 1);
        if (__shfl_sync(ALL_LANES, mine, 0) != current) close();
        const double carried = total();
        if (lane == 0) value += carried;
        for (int step = 1; __any_sync(ALL_LANES, lane - step >= begin); step *= 2) {
            const double other = __shfl_up_sync(ALL_LANES, value, step);
            if (lane - step >= begin) value += other;
        }
        if (lane + 1 == end) meet(mine, value);
        sum = __shfl_sync(ALL_LANES, value, WARP - 1);
        spread = false;
        const long long last = __shfl_sync(ALL_LANES, mine, WARP - 1);
        current = __shfl_sync(ALL_LANES, end, WARP - 1) > count ? last : -1;
    }

    __device__ __forceinline__ void finish()
    {
        if (to.piece != 0) {
            const double all = total();
            if (lane_of_warp() == 0)
                add_piece(all, to.piece == 2, current == row_cluster, size_of(to.starts, current), to.own + row,
                          to.nearest + row, to.open + row);
            return;
        }
        close();
        best = warp_smallest(best);
        if (lane_of_warp() == 0) to.nearest[row] = smaller(to.nearest[row], best);
    }

private:
    __device__ __forceinline__ double total() const { return spread ? warp_sum(sum) : sum; }

    __device__ __forceinline__ void close()
    {
        const double all = total();
        if (current >= 0 && lane_of_warp() == 0) meet(current, all);
        current = -1;
        sum = 0;
        spread = false;
    }

    __device__ __forceinline__ void meet(long long cluster, double all)
    {
        if (cluster == row_cluster)
            to.own[row] = all;
        else
            best = smaller(best, all / size_of(to.starts, cluster));
    }
};

// Sum one row. `source.distances(base, count, entries, value)` gives a stretch, of which only `entries` matter (see
// entries_of); `source.keep(base, count, value)` stores it.
template <typename T, typename Source>
__device__ __forceinline__ void sum_row(const Source& source, const Reduction& to, long long row, long long n_cols)
{
    RowSums sums(to, row);
    const long long self = to.row_place[row] - to.col_start;
    for (long long base = 0; base < n_cols; base += STRETCH) {
        const int count = columns_of_stretch(base, n_cols);
        const long long first = to.col_cluster[base], last = to.col_cluster[base + count - 1];
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
            const long long cluster = to.col_cluster[base + at];
            const double mine = (double)pick(value, at / WARP);
            if (cluster == to.col_cluster[base + at + here - 1])
                sums.add_run(cluster, mine);
            else
                sums.add_mixed(base + at, here, mine);
        }
    }
    sums.finish();
}
