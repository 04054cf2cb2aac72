// CUDA C++ for g++: what kernels may use of the device side. The scheduler behind it is in runtime.cpp.
//
// Threads of a block are fibers that run one after another; they change only in __syncthreads and in the warp
// primitives. Blocks run one after another. What is not here does not exist; atomicAdd of floats is refused on
// purpose, because its result depends on the order of the threads.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <type_traits>
#include <utility>

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
typedef dim3 uint3;

#ifdef EMU_CHECK  // where accesses are not the kernel's own
#define EMU_PLAIN __attribute__((no_sanitize("thread")))
#else
#define EMU_PLAIN
#endif

namespace emu {

enum Kind { SYNCWARP, BALLOT, ANY, ALL, SHFL, SHFL_UP, SHFL_DOWN, SHFL_XOR };

struct Thread {
    dim3 index;
    unsigned lane;
};

extern Thread* self;       // the thread that runs
extern dim3 block, grid;   // indices and counts of blocks
extern dim3 block_size;
extern uint64_t block_number;  // counts the blocks of all launches: marks when a shared variable was poisoned

uint64_t warp_wait(Kind kind, unsigned mask, uint64_t value, unsigned source, uint64_t poison);
int barrier_wait(int value, int operation);  // operation: 0 none, 1 count, 2 and, 3 or
void* dynamic_shared();
void poison_shared(void* start, size_t bytes, uint64_t& poisoned_for);  // once a block
[[noreturn]] void fail(const char* text);
void atomic(void* address, size_t bytes);

}  // namespace emu

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (emu::self->index)
#define blockIdx (emu::block)
#define blockDim (emu::block_size)
#define gridDim (emu::grid)
static constexpr int warpSize = 32;

// -- barriers and warp primitives ---------------------------------------------------------------------------------

static inline void __syncthreads() { emu::barrier_wait(0, 0); }
static inline int __syncthreads_count(int value) { return emu::barrier_wait(value, 1); }
static inline int __syncthreads_and(int value) { return emu::barrier_wait(value, 2); }
static inline int __syncthreads_or(int value) { return emu::barrier_wait(value, 3); }

static inline void __syncwarp(unsigned mask = 0xffffffffu) { emu::warp_wait(emu::SYNCWARP, mask, 0, 0, 0); }
static inline unsigned __ballot_sync(unsigned mask, int value) {
    return (unsigned)emu::warp_wait(emu::BALLOT, mask, value != 0, 0, 0);
}
static inline int __any_sync(unsigned mask, int value) {
    return (int)emu::warp_wait(emu::ANY, mask, value != 0, 0, 0);
}
static inline int __all_sync(unsigned mask, int value) {
    return (int)emu::warp_wait(emu::ALL, mask, value != 0, 0, 0);
}

namespace emu {

template <class T>
inline T shuffle(Kind kind, unsigned mask, T value, int other, int width) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "a type that CUDA can shuffle");
    if (width < 1 || width > 32 || (width & (width - 1))) fail("the width of a shuffle must be a power of two up to 32");
    const int lane = (int)self->lane, first = lane & ~(width - 1);
    int from = lane;
    if (kind == SHFL) from = first | (other & (width - 1));
    if (kind == SHFL_UP && lane - other >= first) from = lane - other;
    if (kind == SHFL_DOWN && lane + other < first + width) from = lane + other;
    if (kind == SHFL_XOR && (lane ^ other) < first + width && (lane ^ other) >= 0) from = lane ^ other;
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    // A lane that takes no part gives NaN, or an integer that makes no sense.
    bits = warp_wait(kind, mask, bits, (unsigned)from, std::is_integral<T>::value ? 0xcdcdcdcdcdcdcdcdu : ~(uint64_t)0);
    memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace emu

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    return emu::shuffle(emu::SHFL, mask, value, lane, width);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return emu::shuffle(emu::SHFL_UP, mask, value, (int)delta, width);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return emu::shuffle(emu::SHFL_DOWN, mask, value, (int)delta, width);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
    return emu::shuffle(emu::SHFL_XOR, mask, value, lane_mask, width);
}

// -- atomics: threads change at barriers only, so plain code is atomic --------------------------------------------

#define EMU_ATOMIC(name, type, expression)                  \
    EMU_PLAIN static inline type name(type* address, type value) { \
        emu::atomic(address, sizeof(type));                 \
        const type old = *address;                          \
        *address = (expression);                            \
        return old;                                         \
    }
#define EMU_ATOMICS(type)                                       \
    EMU_ATOMIC(atomicMax, type, old > value ? old : value)      \
    EMU_ATOMIC(atomicMin, type, old < value ? old : value)      \
    EMU_ATOMIC(atomicAnd, type, old & value)                    \
    EMU_ATOMIC(atomicOr, type, old | value)                     \
    EMU_ATOMIC(atomicXor, type, old ^ value)                    \
    EMU_ATOMIC(atomicExch, type, value)                         \
    EMU_PLAIN static inline type atomicCAS(type* address, type compare, type value) { \
        emu::atomic(address, sizeof(type));                     \
        const type old = *address;                              \
        if (old == compare) *address = value;                   \
        return old;                                             \
    }
EMU_ATOMICS(int)
EMU_ATOMICS(unsigned)
EMU_ATOMICS(unsigned long long)
EMU_ATOMIC(atomicAdd, int, old + value)
EMU_ATOMIC(atomicAdd, unsigned, old + value)
EMU_ATOMIC(atomicAdd, unsigned long long, old + value)
EMU_ATOMIC(atomicSub, int, old - value)
EMU_ATOMIC(atomicSub, unsigned, old - value)
static inline float atomicAdd(float*, float) = delete;    // the order of float additions changes their sum
static inline double atomicAdd(double*, double) = delete;
static inline void __threadfence() {}
static inline void __threadfence_block() {}

// -- integers, bits, numbers --------------------------------------------------------------------------------------

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline unsigned __brev(unsigned x) {
    unsigned y = 0;
    for (int i = 0; i < 32; ++i) y |= ((x >> i) & 1u) << (31 - i);
    return y;
}

namespace emu {
template <class To, class From>
inline To bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
}  // namespace emu
static inline double __longlong_as_double(long long x) { return emu::bits<double>(x); }
static inline long long __double_as_longlong(double x) { return emu::bits<long long>(x); }
static inline float __int_as_float(int x) { return emu::bits<float>(x); }
static inline int __float_as_int(float x) { return emu::bits<int>(x); }
static inline float __uint_as_float(unsigned x) { return emu::bits<float>(x); }
static inline unsigned __float_as_uint(float x) { return emu::bits<unsigned>(x); }

static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
// As fmin and fmax: a NaN gives way to a number.
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
static inline double min(double a, float b) { return fmin(a, (double)b); }
static inline double min(float a, double b) { return fmin((double)a, b); }
static inline double max(double a, float b) { return fmax(a, (double)b); }
static inline double max(float a, double b) { return fmax((double)a, b); }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a > b ? a : b; }

static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
// Macros, because the C libraries of C23 have functions of these names.
#define rsqrt(a) (1 / sqrt(a))
#define rsqrtf(a) (1 / sqrtf(a))
template <class T>
static inline T __ldg(const T* address) {
    return *address;
}

// -- launching: compile.py appends a table of these ---------------------------------------------------------------

namespace emu {

template <class T>
struct Described {
    static const char* text() {
        if (std::is_void<T>::value) return "void";
        if (std::is_same<T, bool>::value) return "b1";
        if (std::is_floating_point<T>::value) return sizeof(T) == 8 ? "f8" : "f4";
        static const char* const integers[2][9] = {{"", "u1", "u2", "", "u4", "", "", "", "u8"},
                                                   {"", "i1", "i2", "", "i4", "", "", "", "i8"}};
        return integers[std::is_signed<T>::value][size<T>()];
    }

  private:
    template <class U>
    static constexpr typename std::enable_if<std::is_integral<U>::value, int>::type size() {
        return sizeof(U);
    }
    template <class U>
    static constexpr typename std::enable_if<!std::is_integral<U>::value, int>::type size() {
        return 0;
    }
};
template <class T>
struct Described<T*> {
    static const char* text() {
        static char buffer[16];
        snprintf(buffer, sizeof buffer, "*%s%s", std::is_const<T>::value ? "const " : "",
                 Described<typename std::remove_cv<T>::type>::text());
        return buffer;
    }
};

struct Kernel {
    const char* name;
    void (*function)();
    void (*invoke)(void (*)(), void**);
    const char* (*argument)(int);  // the type of an argument, nullptr past the last
};

template <class... A>
struct Caller {
    template <size_t... I>
    EMU_PLAIN static void unpack(void (*function)(A...), void** arguments, std::integer_sequence<size_t, I...>) {
        function(*static_cast<typename std::remove_reference<A>::type*>(arguments[I])...);
    }
    EMU_PLAIN static void invoke(void (*function)(), void** arguments) {
        unpack(reinterpret_cast<void (*)(A...)>(function), arguments, std::make_integer_sequence<size_t, sizeof...(A)>());
    }
    static const char* argument(int i) {
        static const char* (*const texts[])() = {Described<typename std::remove_cv<A>::type>::text..., nullptr};
        return i < (int)sizeof...(A) ? texts[i]() : nullptr;
    }
};

template <class... A>
Kernel kernel(const char* name, void (*function)(A...)) {
    return {name, reinterpret_cast<void (*)()>(function), Caller<A...>::invoke, Caller<A...>::argument};
}

}  // namespace emu
