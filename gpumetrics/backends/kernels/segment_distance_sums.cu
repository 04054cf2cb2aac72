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

#include "column_sums.cuh"
#include "row_sums.cuh"
#include "tile_row.cuh"

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
    const GramRow<T> source{tile + row * n_cols, x + row * d, y, d, scale, x_norms[row], y_norms, (T)share, true};
    const Nearest kept(starts, row_cluster, own, nearest, open, row);
    sum_row<T>(source, Columns{row_place, col_start, col_cluster, starts, piece}, kept, row, n_cols);
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
    const Nearest kept(starts, row_cluster, own, nearest, open, row);
    sum_row<T>(source, Columns{row_place, col_start, col_cluster, starts, piece}, kept, row, n_cols);
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
    const long long column = thread_of_grid();
    if (column >= n_cols) return;
    const long long first = (long long)blockIdx.y * chunk, stop = min(first + chunk, n_rows);
    double smallest = infinity(), head = 0, tail = 0;
    auto meet = [&](long long, long long begin, long long end, double sum) {
        if (begin < first)
            head = sum;
        else if (end > stop)
            tail = sum;
        else
            smallest = smaller(smallest, sum / (double)(end - begin));
    };
    sum_column(tile + column, n_cols, Rows{n_rows, row_start, row_cluster, starts, piece}, first, stop, meet);
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
    double smallest = infinity();
    for (long long c = 0; c < n_chunks; ++c) smallest = smaller(smallest, partial[c * 3 * n_cols + column]);
    auto meet = [&](long long cluster, double sum) {
        if (piece)
            add_piece(sum, piece == 2, cluster == col_cluster[column], size_of(starts, cluster), own + column,
                      nearest + column, open + column);
        else
            smallest = smaller(smallest, sum / size_of(starts, cluster));
    };
    const Rows rows{n_rows, row_start, row_cluster, starts, piece};
    fold_column(partial + n_cols + column, 3 * n_cols, n_cols, n_chunks, chunk, rows, meet);
    if (!piece) nearest[column] = smaller(nearest[column], smallest);
}
