// Distances of one row of a tile from differences of its features and the columns'. They are written to `out` if they
// are `wanted` later.
#pragma once

#include "metrics.cuh"
#include "warp.cuh"

// A lane has whole distances: its columns are neighbours of the other lanes', so it reads y transposed.
template <typename T, template <typename> class Metric>
struct DirectRow {
    T* out;
    const T* x;
    const T* yt;
    long long d, n_cols;
    const double* weights;
    Settings<T> settings;
    bool wanted;

    __device__ __forceinline__ void distances(long long base, int count, int entries, T (&value)[WIDTH]) const
    {
        Metric<T> pair[WIDTH];
        if (count == STRETCH && weights == nullptr)
            take_in<true>(yt + base + lane_of_warp(), count, pair);
        else
            take_in<false>(yt + base + lane_of_warp(), count, pair);
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) {
            value[u] = (T)pair[u].result(settings);
            if (!pair[u].exact() && (entries >> u & 1))
                value[u] = (T)in_double(yt + base + slot_of(u));
        }
    }

    // PLAIN: a whole stretch, without weights. The loop is then as short as it can be; two features at a time only
    // where registers are plenty.
    template <bool PLAIN>
    __device__ __forceinline__ void take_in(const T* y, int count, Metric<T> (&pair)[WIDTH]) const
    {
        const T* mine = x;
#pragma unroll(PLAIN && sizeof(T) == 4 ? 2 : 1)
        for (long long f = 0; f < d; ++f, ++mine, y += n_cols) {
            const T own = *mine;
            const double weight = PLAIN || weights == nullptr ? 1 : weights[f];
#pragma unroll
            for (int u = 0; u < WIDTH; ++u)
                pair[u].add(own, PLAIN || slot_of(u) < count ? y[u * WARP] : T(0), weight, settings);
        }
    }

    __device__ double in_double(const T* y) const
    {
        const Settings<double> same{settings.p, settings.scale};
        Metric<double> pair;
#pragma unroll 1
        for (long long f = 0; f < d; ++f) pair.add(x[f], y[f * n_cols], weights != nullptr ? weights[f] : 1, same);
        return pair.result(same);
    }

    __device__ __forceinline__ void keep(long long base, int count, const T (&value)[WIDTH]) const
    {
        if (wanted) store_stretch(out + base, count, value);
    }
};

// sqrt(sum of form[f, g] * difference[f] * difference[g]): differences first, so that near rows keep their digits.
struct QuadraticRow {
    double* out;
    const double* x;
    const double* yt;
    long long d, n_cols;
    const double* form;
    bool wanted;

    __device__ __forceinline__ void distances(long long base, int count, int, double (&value)[WIDTH]) const
    {
        const double* y = yt + base;
        double total[WIDTH] = {};
        for (long long f = 0; f < d; ++f) {
            double inner[WIDTH] = {};
            for (long long g = 0; g < d; ++g) {
                const double weight = form[f * d + g], mine = x[g];
#pragma unroll
                for (int u = 0; u < WIDTH; ++u)
                    if (slot_of(u) < count) inner[u] += weight * (mine - y[g * n_cols + slot_of(u)]);
            }
#pragma unroll
            for (int u = 0; u < WIDTH; ++u)
                if (slot_of(u) < count) total[u] += inner[u] * (x[f] - y[f * n_cols + slot_of(u)]);
        }
#pragma unroll
        for (int u = 0; u < WIDTH; ++u) value[u] = sqrt(total[u]);
    }

    __device__ __forceinline__ void keep(long long base, int count, const double (&value)[WIDTH]) const
    {
        if (wanted) store_stretch(out + base, count, value);
    }
};
