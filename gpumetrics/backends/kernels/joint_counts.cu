// Cells of the table of two labelings, or (b null) rows of each label of one.
//
//   joint_counts     where cells are few: counted in shared memory
//   scattered_counts where they are many: counted in the table itself
//                    launch: blocks of 256 threads, as many as fill the device; each strides over the rows
//
// Atomics add integers only, whose sum is the same in any order.

#include "warp.cuh"

constexpr long long MOST_CELLS = 8192;

__device__ __forceinline__ long long cell_of(const long long* a, const long long* b, long long n_b, long long i)
{
    return b == nullptr ? a[i] : a[i] * n_b + b[i];
}

// table (cells,), zeros to begin with, cells <= 8192: how often each a * n_b + b occurs, for a and b (n,) from 0.
__global__ void __launch_bounds__(256)
joint_counts(const long long* __restrict__ a, const long long* __restrict__ b, long long n, long long n_b,
             long long cells, long long* table)
{
    // Each cell has up to 32 counters side by side, one to a lane: where cells are few, many rows meet in one.
    __shared__ unsigned int counts[MOST_CELLS];
    int copies = WARP;
    while (copies * cells > MOST_CELLS) copies /= 2;
    for (long long i = threadIdx.x; i < copies * cells; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    const int mine = lane_of_warp() % copies;
#pragma unroll 4
    for (long long i = thread_of_grid(); i < n; i += (long long)gridDim.x * blockDim.x)
        atomicAdd(&counts[cell_of(a, b, n_b, i) * copies + mine], 1u);
    __syncthreads();
    for (long long cell = threadIdx.x; cell < cells; cell += blockDim.x) {
        unsigned long long total = 0;
        // Lanes begin at different counters: the same one of each would lie in one bank.
        for (int c = 0; c < copies; ++c) total += counts[cell * copies + (c + mine) % copies];
        if (total != 0) atomicAdd((unsigned long long*)&table[cell], total);
    }
}

// The same for any number of cells.
__global__ void __launch_bounds__(256)
scattered_counts(const long long* __restrict__ a, const long long* __restrict__ b, long long n, long long n_b,
                 long long* table)
{
#pragma unroll 4
    for (long long i = thread_of_grid(); i < n; i += (long long)gridDim.x * blockDim.x)
        atomicAdd((unsigned long long*)&table[cell_of(a, b, n_b, i)], 1ull);
}
