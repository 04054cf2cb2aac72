// From one tile of products (or distances) to sums of distances over clusters, along its rows and along its columns.
//
// A tile is a row-major table (n_rows, n_cols) of T = float or double; its rows and its columns are stretches of the
// same order of all rows, in which the rows of a cluster are neighbours.
//
//   gram_row_sums<T>   products -> distances, in place, and their sums for each row
//   given_row_sums<T>  the same sums from a tile that holds distances
//                      launch: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks
//   column_sums<T>     the sums for each column, of one chunk of rows
//                      launch: blocks of 256 threads, a thread per column; blockIdx.y is the chunk
//   fold_columns       and of all chunks
//                      launch: blocks of 256 threads, a thread per column
//
// Sums are double, and of a fixed order: the same data give the same bits.

#include "row_sums.cuh"

// Distances of one row from its products with the columns: |x|^2 + |y|^2 - 2 x.y, or, where that has lost its digits,
// from the difference of the rows as they are stored.
template <typename T>
struct GramRow {
    T* products;
    const T* x;
    const T* y;
    long long d;
    double scale;
    T x_norm;
    const T* y_norms;
    T share;

    __device__ __forceinline__ void distances(long long base, int count, int entries, T (&value)[WIDTH]) const
    {
        T both[WIDTH];
        load_stretch(products + base, count, value);
        load_stretch(y_norms + base, count, both);
        int doubtful = 0;
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            both[u] += x_norm;
            const T square = both[u] - 2 * value[u];
            // Written so that a NaN is doubtful, and so is an infinite square of infinite norms.
            if (!(square - share * both[u] > 0)) doubtful |= 1 << u;
            value[u] = root(square);
        }
        recompute(doubtful & entries, base, value, [&](long long column) { return direct(column); });
    }

    __device__ __forceinline__ double direct(long long column) const
    {
        const T* other = y + column * d;
        double square = 0;
#pragma unroll 1
        for (long long f = lane_of_warp(); f < d; f += WARP) {
            const double difference = ((double)x[f] - (double)other[f]) * scale;
            square += difference * difference;
        }
        return sqrt(warp_sum(square));
    }

    __device__ __forceinline__ void keep(long long base, int count, const T (&value)[WIDTH]) const
    {
        store_stretch(products + base, count, value);
    }
};

template <typename T>
struct GivenRow {
    const T* given;

    __device__ __forceinline__ void distances(long long base, int count, int, T (&value)[WIDTH]) const
    {
        load_stretch(given + base, count, value);
    }

    __device__ __forceinline__ void keep(long long, int, const T (&)[WIDTH]) const {}
};

// tile holds the products of rows that were centred about a common point and multiplied by scale, a power of two;
// x_norms (n_rows,) and y_norms (n_cols,) are their squared lengths. x (n_rows, d) and y (n_cols, d) are the rows as
// stored. A squared distance below share * (|x|^2 + |y|^2) comes from the difference itself.
template <typename T>
__global__ void __launch_bounds__(256)
gram_row_sums(T* tile, long long n_rows, long long n_cols, const T* __restrict__ x, const T* __restrict__ y,
              long long d, double scale, const T* __restrict__ x_norms, const T* __restrict__ y_norms, double share,
              const long long* __restrict__ row_place, long long col_start, const long long* __restrict__ col_cluster,
              const long long* __restrict__ starts, const long long* __restrict__ row_cluster, int piece, double* own,
              double* nearest, double* open)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const GramRow<T> source{tile + row * n_cols, x + row * d, y, d, scale, x_norms[row], y_norms, (T)share};
    const Reduction to{row_place, col_start, col_cluster, starts, row_cluster, piece, own, nearest, open};
    sum_row<T>(source, to, row, n_cols);
}

template <typename T>
__global__ void __launch_bounds__(256, 3)
given_row_sums(const T* __restrict__ tile, long long n_rows, long long n_cols, const long long* __restrict__ row_place,
               long long col_start, const long long* __restrict__ col_cluster, const long long* __restrict__ starts,
               const long long* __restrict__ row_cluster, int piece, double* own, double* nearest, double* open)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const GivenRow<T> source{tile + row * n_cols};
    const Reduction to{row_place, col_start, col_cluster, starts, row_cluster, piece, own, nearest, open};
    sum_row<T>(source, to, row, n_cols);
}

// partial (n_chunks, 3, n_cols), for each column:
//   0  the smallest mean over the clusters that lie wholly in the chunk; inf if there is none
//   1  the sum over the cluster that began before the chunk, whether or not it ends in it; 0 if there is none
//   2  the sum over the cluster that begins in the chunk and goes on after it; 0 if there is none
// With piece all rows belong to one cluster, and all goes into 1. Row r of the tile has the place row_start + r.
template <typename T>
__global__ void __launch_bounds__(256)
column_sums(const T* __restrict__ tile, long long n_rows, long long n_cols, const long long* __restrict__ row_cluster,
            const long long* __restrict__ starts, int piece, double* __restrict__ partial, long long chunk,
            long long row_start)
{
    constexpr int BATCH = 8;  // rows that a thread reads at once
    const long long column = thread_of_grid();
    if (column >= n_cols) return;
    const long long first = (long long)blockIdx.y * chunk, stop = min(first + chunk, n_rows);
    long long cluster = row_cluster[first];
    // Rows of the tile between which the open cluster lies.
    long long begin = piece ? first - 1 : starts[cluster] - row_start;
    long long end = piece ? stop : starts[cluster + 1] - row_start;
    double smallest = infinity(), head = 0, tail = 0, sum = 0;
    auto close = [&] {
        if (begin < first)
            head = sum;
        else if (end > stop)
            tail = sum;
        else
            smallest = smaller(smallest, sum / (double)(end - begin));
        sum = 0;
    };
    const T* entry = tile + first * n_cols + column;
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
                close();
                begin = end;
                end = starts[++cluster + 1] - row_start;
            }
            sum += (double)pick(value, b);
        }
    }
    close();
    double* out = partial + (long long)blockIdx.y * 3 * n_cols + column;
    out[0] = smallest;
    out[n_cols] = head;
    out[2 * n_cols] = tail;
}

// Complete the clusters that the chunks cut, and take the sums of each column in: col_cluster, own, nearest and open
// (n_cols,) are the columns' own. Without piece no column belongs to a cluster of the rows.
__global__ void __launch_bounds__(256)
fold_columns(const double* __restrict__ partial, long long n_chunks, long long n_cols, long long n_rows,
             long long chunk, long long row_start, const long long* __restrict__ row_cluster,
             const long long* __restrict__ starts, int piece, const long long* __restrict__ col_cluster, double* own,
             double* nearest, double* open)
{
    const long long column = thread_of_grid();
    if (column >= n_cols) return;
    double smallest = infinity(), sum = 0;
    for (long long c = 0; c < n_chunks; ++c) {
        const double* part = partial + c * 3 * n_cols + column;
        sum += part[n_cols];
        if (piece) continue;
        const long long first = row_start + c * chunk, stop = min(first + chunk, row_start + n_rows);
        const long long head = row_cluster[c * chunk], last = row_cluster[stop - 1 - row_start];
        smallest = smaller(smallest, part[0]);
        if (starts[head] < first && starts[head + 1] <= stop) {
            smallest = smaller(smallest, sum / size_of(starts, head));
            sum = 0;
        }
        if (starts[last] >= first && starts[last + 1] > stop) sum = part[2 * n_cols];
    }
    if (piece) {
        const long long cluster = row_cluster[0];
        add_piece(sum, piece == 2, cluster == col_cluster[column], size_of(starts, cluster), own + column,
                  nearest + column, open + column);
    } else {
        nearest[column] = smaller(nearest[column], smallest);
    }
}
