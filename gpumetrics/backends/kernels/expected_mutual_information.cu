// Expected mutual information: the mean, under the hypergeometric law, of what a cell of the table contributes.
//
//   expected_cells  launch: blocks of 256 threads, a thread per pair of margins

#include "warp.cuh"

// (1 + d) log(1 + d) - d for d >= -1, as statistics/divergence.py has it.
__device__ __forceinline__ double divergence(double d)
{
    if (d <= -1) return 1;
    if (fabs(d) < 1e-3) return d * d * (1.0 / 2 - d * (1.0 / 6 - d * (1.0 / 12 - d * (1.0 / 20 - d / 30))));
    return (1 + d) * log1p(d) - d;
}

// What a count k is worth: its divergence from the mean, whole + rest, or k log k over the mean.
__device__ __forceinline__ double value_of(double k, double whole, double rest, int log_counts)
{
    if (log_counts) return k * log(fmax(k, 1.0)) / (whole + rest);
    return divergence(fmax(((k - whole) - rest) / (whole + rest), -1.0));
}

// a, b (n_pairs,): margins of a table of n; the cell's mean is whole + rest; start: the count nearest below it that the
// cell can have; reach: how far from there the law is summed. Probabilities are relative to that of start, and follow
// from one count to the next by a rational ratio. out (n_pairs,): the mean value.
__global__ void __launch_bounds__(256)
expected_cells(const long long* __restrict__ a, const long long* __restrict__ b, const long long* __restrict__ start,
               const double* __restrict__ whole, const double* __restrict__ rest,
               const long long* __restrict__ reach, long long n_pairs, long long n, int log_counts,
               double* __restrict__ out)
{
    const long long pair = thread_of_grid();
    if (pair >= n_pairs) return;
    const long long low = max(a[pair] - (n - b[pair]), 0ll), high = min(a[pair], b[pair]), from = start[pair];
    const double margin_a = (double)a[pair], margin_b = (double)b[pair], free = (double)(n - a[pair] - b[pair]);
    const double q = whole[pair], r = rest[pair];
    double mass = 0, total = 0, weight = 1, k = (double)from;
    for (long long steps = min(reach[pair], high - from); steps > 0; --steps) {
        weight *= (margin_a - k) * (margin_b - k) / ((k + 1) * (free + k + 1));
        k += 1;
        mass += weight;
        total += weight * value_of(k, q, r, log_counts);
    }
    double mass_below = 0, total_below = 0;
    weight = 1;
    k = (double)from;
    for (long long steps = min(reach[pair], from - low); steps > 0; --steps) {
        weight *= k * (free + k) / ((margin_a - k + 1) * (margin_b - k + 1));
        k -= 1;
        mass_below += weight;
        total_below += weight * value_of(k, q, r, log_counts);
    }
    const double at_start = value_of((double)from, q, r, log_counts);
    out[pair] = (at_start + total + total_below) / (1 + mass + mass_below);
}
