// Kernels for test_shim.py: right ones, and wrong ones that the shim must catch.
// Each line of block-wide work is a kernel of its own; `i` is the thread.
#define KERNEL template <class T> __global__ void
#define THREAD const int i = threadIdx.x;

KERNEL block_sum(const T* x, double* out) {
    __shared__ T part[256], unused;  // a comment with __shared__ int in it; does no harm
    THREAD
    part[i] = x[blockIdx.x * 256 + i];
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (i < half) part[i] += part[i + half];
    }
    if (!i) out[blockIdx.x] = part[0];
}
KERNEL shuffles(const T* x, T* out, int by, int width) {
    THREAD
    out[i] = __shfl_sync(0xffffffffu, x[i], by, width);
    out[i + 64] = __shfl_up_sync(0xffffffffu, x[i], by, width);
    out[i + 128] = __shfl_down_sync(0xffffffffu, x[i], by, width);
    out[i + 192] = __shfl_xor_sync(0xffffffffu, x[i], by, width);
}
__global__ void votes(const int* x, long long* out) {
    THREAD
    out[i] = __ballot_sync(0xffffffffu, x[i]);
    out[i + 64] = 2 * __any_sync(0xffffffffu, x[i]) + __all_sync(0xffffffffu, x[i]);
    out[i + 128] = 4 * __syncthreads_count(x[i]) + 2 * __syncthreads_or(x[i]) + __syncthreads_and(x[i]);
}
__global__ void halves(int* out) {
    THREAD
    out[i] = i < 16 ? __shfl_sync(0x0000ffffu, i, 3) : __shfl_sync(0xffff0000u, i, 20);
}
__global__ void leavers(double* out) {
    THREAD
    if (i / 32 == 1) return;
    out[i] = __shfl_xor_sync(0xffffffffu, (double)i, 1);
}
__global__ void coordinates(long long* out) {
    const long long place = threadIdx.x + blockDim.x * (threadIdx.y + (long long)blockDim.y * threadIdx.z);
    const long long number = blockIdx.x + gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z);
    out[number * blockDim.x * blockDim.y * blockDim.z + place] = number * 1000 + place;
}
__global__ void histogram(const long long* x, long long n, unsigned long long* out) {
    extern __shared__ unsigned counts[];
    for (int c = threadIdx.x; c < 16; c += blockDim.x) counts[c] = 0;
    __syncthreads();
    for (long long j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x)
        atomicAdd(&counts[x[j]], 1u);
    __syncthreads();
    for (int c = threadIdx.x; c < 16; c += blockDim.x) atomicAdd(&out[c], (unsigned long long)counts[c]);
}
__global__ void numbers(double* out) {
    out[0] = __longlong_as_double(0x7ff0000000000000LL);
    out[1] = __popc(0xf0u) + __ffs(8) + __clz(1) + __popcll(7ull);
    out[2] = max(3LL, 4LL) + min(1.5, 2.5) + fma(2.0, 3.0, 1.0) + sqrt(4.0f) + fabs(-1.0) + pow(2.0, 3.0) + log1p(0.0);
    out[3] = min(out[0] - out[0], 5.0);
}

// -- kernels that are wrong

__global__ void no_barrier(double* out) {
    __shared__ double part[64];
    THREAD
    part[i] = i;
    out[i] = part[63 - i];
}
__global__ void sums_in_turn(double* out) { out[0] += 1.0 / (1 + threadIdx.x + 64 * blockIdx.x); }
__global__ void last_wins(int* out) { out[0] = threadIdx.x + 64 * blockIdx.x; }
__global__ void some_reach_the_barrier(int n) {
    if (threadIdx.x < n) __syncthreads();
}
__global__ void some_lanes_vote(int n) {
    if (threadIdx.x < n) __ballot_sync(0xffffffffu, 1);
}
__global__ void lanes_do_this_and_that() {
    if (threadIdx.x < 7) __ballot_sync(0xffffffffu, 1);
    else __any_sync(0xffffffffu, 1);
}
__global__ void a_lane_outside_its_mask() { __syncwarp(0x0000ffffu); }
__global__ void barrier_against_vote() {
    if (threadIdx.x < 40) __syncthreads();
    else __all_sync(0xffffffffu, 1);
}
__global__ void masks_that_cross() {
    if (threadIdx.x % 32 < 16) __syncwarp(0xffffffffu);
    else __syncwarp(0xffff8000u);
}
__global__ void reads_shared_too_early(double* out) {
    __shared__ double part[64];
    out[threadIdx.x] = part[threadIdx.x];
    part[threadIdx.x] = 1;
}
__global__ void writes_behind(double* out, long long n) { out[n + threadIdx.x] = 1; }
__global__ void reads_behind(const double* x, double* out, long long n) { out[threadIdx.x] = x[n - 31 + threadIdx.x]; }
__global__ void across_lanes(double* out) {
    __shared__ double part[32];
    THREAD
    part[i] = i;
    if (i < 32) out[i] = part[31 - i];
}
__global__ void across_lanes_in_step(double* out) {
    __shared__ double part[32];
    THREAD
    part[i] = i;
    __syncwarp();
    out[i] = part[31 - i];
}
__global__ void typed(float* a, const long long* b, bool* c, int i, long long l, float f, double d, bool flag) {}
