// Where the distances of one row of a tile come from: its products with the columns, or they are given.
#pragma once

#include "warp.cuh"

// |x|^2 + |y|^2 - 2 x.y, or, where that has lost its digits, from the difference of the rows as they are stored. The
// distances take the products' place if they are `wanted` later.
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
    bool wanted;

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
        if (wanted) store_stretch(products + base, count, value);
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
