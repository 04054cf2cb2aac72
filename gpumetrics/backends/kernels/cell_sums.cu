// From one tile of products (or distances) to the sums of distances of its rows, and of its columns, to every cell.
//
// As segment_distance_sums.cu, with cells for clusters; but all sums are kept: sums[cell * stride + row], so that
// neighbouring rows of a cell are neighbours. They are 0 before the first tile of a cell that comes in pieces.
//
//   gram_cell_sums<T>    products -> distances, in place if they are `wanted`, and their sums for each row
//   given_cell_sums<T>   the same sums from a tile that holds distances
//                        launch: blocks of 256 threads, a warp per row, ceil(n_rows / 8) blocks
//   column_cell_sums<T>  the sums for each column, of one chunk of rows
//                        launch: blocks of 256 threads, a thread per column; blockIdx.y is the chunk
//   fold_cell_sums       and over the cells that the chunks cut
//                        launch: blocks of 256 threads, a thread per column
//
// Sums are double, and of a fixed order: the same data give the same bits.

#include "column_sums.cuh"
#include "row_sums.cuh"
#include "tile_row.cuh"

// As gram_row_sums. sums and stride are offset to the tile's rows.
template <typename T>
__global__ void __launch_bounds__(256)
gram_cell_sums(T* tile, long long n_rows, long long n_cols, const T* __restrict__ x, const T* __restrict__ y,
               long long d, double scale, const T* __restrict__ x_norms, const T* __restrict__ y_norms, double share,
               const long long* __restrict__ row_place, long long col_start, const long long* __restrict__ col_cell,
               const long long* __restrict__ starts, int piece, int wanted, double* sums, long long stride)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const bool keep = wanted != 0;
    const GramRow<T> source{tile + row * n_cols, x + row * d, y, d, scale, x_norms[row], y_norms, (T)share, keep};
    const Columns columns{row_place, col_start, col_cell, starts, piece};
    sum_row<T>(source, columns, EverySum{sums, stride, row}, row, n_cols);
}

// `wanted` says nothing here: the tile stays as it is.
template <typename T>
__global__ void __launch_bounds__(256, 3)
given_cell_sums(const T* __restrict__ tile, long long n_rows, long long n_cols,
                const long long* __restrict__ row_place, long long col_start, const long long* __restrict__ col_cell,
                const long long* __restrict__ starts, int piece, int wanted, double* sums, long long stride)
{
    const long long row = warp_of_grid();
    if (row >= n_rows) return;
    const Columns columns{row_place, col_start, col_cell, starts, piece};
    sum_row<T>(GivenRow<T>{tile + row * n_cols}, columns, EverySum{sums, stride, row}, row, n_cols);
}

// Cells that lie wholly in the chunk go to sums, which is offset to the tile's columns; partial (n_chunks, 2, n_cols)
// takes what fold_column asks for of those that it cuts. With piece all rows belong to one cell, and all goes into the
// first. Row r of the tile has the place row_start + r.
template <typename T>
__global__ void __launch_bounds__(256)
column_cell_sums(const T* __restrict__ tile, long long n_rows, long long n_cols, const long long* __restrict__ row_cell,
                 const long long* __restrict__ starts, int piece, double* __restrict__ partial, long long chunk,
                 long long row_start, double* __restrict__ sums, long long stride)
{
    const long long column = thread_of_grid();
    if (column >= n_cols) return;
    const long long first = (long long)blockIdx.y * chunk, stop = min(first + chunk, n_rows);
    double head = 0, tail = 0;
    auto meet = [&](long long cell, long long begin, long long end, double sum) {
        if (begin < first)
            head = sum;
        else if (end > stop)
            tail = sum;
        else
            sums[cell * stride + column] = sum;
    };
    sum_column(tile + column, n_cols, Rows{n_rows, row_start, row_cell, starts, piece}, first, stop, meet);
    double* cut = partial + (long long)blockIdx.y * 2 * n_cols + column;
    cut[0] = head;
    cut[n_cols] = tail;
}

__global__ void __launch_bounds__(256)
fold_cell_sums(const double* __restrict__ partial, long long n_chunks, long long n_cols, long long n_rows,
               long long chunk, long long row_start, const long long* __restrict__ row_cell,
               const long long* __restrict__ starts, int piece, double* sums, long long stride)
{
    const long long column = thread_of_grid();
    if (column >= n_cols) return;
    auto meet = [&](long long cell, double sum) {
        double* to = sums + cell * stride + column;
        *to = piece ? *to + sum : sum;
    };
    const Rows rows{n_rows, row_start, row_cell, starts, piece};
    fold_column(partial + column, 2 * n_cols, n_cols, n_chunks, chunk, rows, meet);
}
