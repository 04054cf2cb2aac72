// Helpers for one warp that works on one row of a table. All 32 lanes call them together.
//
// A row is taken in stretches of 128 columns. Lane l has the columns base + slot_of(u), u < 4, of a stretch:
// neighbouring lanes read neighbouring addresses, and each lane has four reads under way at once.
#pragma once

constexpr int WARP = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;
constexpr int WIDTH = 4;
constexpr int STRETCH = WARP * WIDTH;

__device__ __forceinline__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

__device__ __forceinline__ long long thread_of_grid()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ long long warp_of_grid()
{
    return (long long)blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
}

__device__ __forceinline__ int lane_of_warp() { return (int)(threadIdx.x % WARP); }

__device__ __forceinline__ int slot_of(int u) { return u * WARP + lane_of_warp(); }

__device__ __forceinline__ int columns_of_stretch(long long base, long long n_cols)
{
    return n_cols - base < STRETCH ? (int)(n_cols - base) : STRETCH;
}

// Which of a lane's columns count, bit u for its u-th: those of the row's `count` from base on, but for one column.
__device__ __forceinline__ int entries_of(long long base, int count, long long without)
{
    const int slot = without >= base && without - base < STRETCH ? (int)(without - base) : -1;
    if (count == STRETCH && slot < 0) return (1 << WIDTH) - 1;
    int entries = 0;
#pragma unroll
    for (int u = 0; u < WIDTH; ++u)
        if (slot_of(u) < count && slot_of(u) != slot) entries |= 1 << u;
    return entries;
}

// Whether a stretch is whole is the same for all lanes: one branch instead of a test for each column.
template <typename T>
__device__ __forceinline__ void load_stretch(const T* from, int count, T (&value)[WIDTH])
{
    if (count == STRETCH) {
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) value[u] = from[slot_of(u)];
    } else {
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) value[u] = slot_of(u) < count ? from[slot_of(u)] : T(0);
    }
}

template <typename T>
__device__ __forceinline__ void store_stretch(T* to, int count, const T (&value)[WIDTH])
{
    if (count == STRETCH) {
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) to[slot_of(u)] = value[u];
    } else {
#pragma unroll
        for (int u = 0; u < WIDTH; ++u)
            if (slot_of(u) < count) to[slot_of(u)] = value[u];
    }
}

// The square root of a positive number: without the tests for others, which keep the lanes' roots one after another.
__device__ __forceinline__ float root(float square)
{
    const float inverse = rsqrtf(square), near = square * inverse;
    return fmaf(fmaf(-near, near, square), 0.5f * inverse, near);
}

__device__ __forceinline__ double root(double square) { return sqrt(square); }

// The smaller of two numbers; a NaN wins, as in numpy.minimum.
__device__ __forceinline__ double smaller(double a, double b) { return b < a || b != b ? b : a; }

// Butterflies: every lane ends with the same bits.
__device__ __forceinline__ double warp_sum(double value)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

__device__ __forceinline__ double warp_smallest(double value)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2) value = smaller(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

// value[u] without an address, so that the array stays in registers.
template <typename T, int N>
__device__ __forceinline__ T pick(const T (&value)[N], int u)
{
    T picked = value[0];
#pragma unroll
    for (int v = 1; v < N; ++v)
        if (v == u) picked = value[v];
    return picked;
}

// Replace the entries that are marked (bit u of a lane's `doubtful`) by `direct(column)`, which the whole warp
// computes together: they are few, and each is as long as a row has features.
template <typename T, typename Direct>
__device__ __forceinline__ void recompute(int doubtful, long long base, T (&value)[WIDTH], const Direct& direct)
{
    unsigned lanes = __ballot_sync(ALL_LANES, doubtful != 0);
    while (lanes != 0) {
        const int owner = __ffs((int)lanes) - 1;
        const int u = __ffs(__shfl_sync(ALL_LANES, doubtful, owner)) - 1;
        const T exact = (T)direct(base + u * WARP + owner);
        if (lane_of_warp() == owner) {
            doubtful &= doubtful - 1;
#pragma unroll
            for (int v = 0; v < WIDTH; ++v)
                if (v == u) value[v] = exact;
        }
        lanes = __ballot_sync(ALL_LANES, doubtful != 0);
    }
}
