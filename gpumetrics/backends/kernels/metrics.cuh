// Distances of two rows, taken in feature by feature. Each metric has the same two functions:
//   add(x, y, w, settings)  one feature of the two rows, and its weight
//   result(settings)        the distance
// Values, those of 0/0 too, are those of scipy.spatial.distance.cdist, but for Bray and Curtis (see there).
#pragma once

template <typename T>
struct Settings {
    double p;  // Minkowski's power
    T scale;   // power of two that Euclidean differences are multiplied by
};

// In T throughout; see `exact` for what T cannot hold.
template <typename T>
struct Euclidean {
    T square = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>& settings)
    {
        const T difference = (x - y) * settings.scale;
        square += (T)w * difference * difference;
    }

    // A square in float neither so small that its digits are lost, nor too large.
    __device__ __forceinline__ bool exact() const { return sizeof(T) == 8 || (square > T(1e-30) && square < T(1e30)); }

    __device__ __forceinline__ double result(const Settings<T>&) const { return sqrt(square); }
};

// The metrics whose sums are double.
struct Exact {
    __device__ __forceinline__ bool exact() const { return true; }
};

template <typename T>
struct Manhattan : Exact {
    double sum = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>&) { sum += w * (double)fabs(x - y); }

    __device__ __forceinline__ double result(const Settings<T>&) const { return sum; }
};

// A weight says only whether a feature counts.
template <typename T>
struct Chebyshev : Exact {
    double largest = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>&)
    {
        const double gap = (double)fabs(x - y);
        if (w > 0 && gap > largest) largest = gap;
    }

    __device__ __forceinline__ double result(const Settings<T>&) const { return largest; }
};

template <typename T>
struct Minkowski : Exact {
    double sum = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>& settings)
    {
        sum += w * pow((double)fabs(x - y), settings.p);
    }

    __device__ __forceinline__ double result(const Settings<T>& settings) const { return pow(sum, 1 / settings.p); }
};

template <typename T>
struct Canberra : Exact {
    double sum = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>&)
    {
        const double reach = (double)fabs(x) + (double)fabs(y);
        if (reach > 0) sum += w * (double)fabs(x - y) / reach;
    }

    __device__ __forceinline__ double result(const Settings<T>&) const { return sum; }
};

// 0/0, of two zero rows, is 0: they are the same row.
template <typename T>
struct BrayCurtis : Exact {
    double difference = 0, sum = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>&)
    {
        difference += w * (double)fabs(x - y);
        sum += w * (double)fabs(x + y);
    }

    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        return difference == 0 && sum == 0 ? 0 : difference / sum;
    }
};

template <typename T>
struct Hamming : Exact {
    double different = 0, same = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>&)
    {
        different += x != y ? w : 0;
        same += x != y ? 0 : w;
    }

    __device__ __forceinline__ double result(const Settings<T>&) const { return different / (different + same); }
};

// Great-circle distance, in radians, of two rows (latitude, longitude).
template <typename T>
struct Haversine : Exact {
    double chord = 0, latitudes = 0;
    int feature = 0;

    __device__ __forceinline__ void add(T x, T y, double, const Settings<T>&)
    {
        const double half = sin(0.5 * (x - y));
        if (feature++ == 0) {
            chord = half * half;
            latitudes = cos((double)x) * cos((double)y);
        } else {
            chord += latitudes * (half * half);
        }
    }

    __device__ __forceinline__ double result(const Settings<T>&) const { return 2 * asin(sqrt(fmin(chord, 1.0))); }
};

// Rows of truths: entries other than 0 are true. Weights of the features, by the entries of the two rows.
template <typename T>
struct Truths : Exact {
    double both = 0, x_only = 0, y_only = 0, neither = 0;

    __device__ __forceinline__ void add(T x, T y, double w, const Settings<T>&)
    {
        const bool p = x != 0, q = y != 0;
        both += p && q ? w : 0;
        x_only += p && !q ? w : 0;
        y_only += !p && q ? w : 0;
        neither += p || q ? 0 : w;
    }

    __device__ __forceinline__ double different() const { return x_only + y_only; }
};

template <typename T>
struct Dice : Truths<T> {
    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        return this->different() / (2 * this->both + this->different());
    }
};

template <typename T>
struct Jaccard : Truths<T> {
    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        return this->different() == 0 ? 0 : this->different() / (this->both + this->different());
    }
};

template <typename T>
struct RogersTanimoto : Truths<T> {
    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        return 2 * this->different() / (this->both + this->neither + 2 * this->different());
    }
};

template <typename T>
struct RussellRao : Truths<T> {
    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        const double others = this->different() + this->neither;
        return others / (this->both + others);
    }
};

template <typename T>
struct SokalSneath : Truths<T> {
    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        return 2 * this->different() / (this->both + 2 * this->different());
    }
};

template <typename T>
struct Yule : Truths<T> {
    __device__ __forceinline__ double result(const Settings<T>&) const
    {
        const double crossed = this->x_only * this->y_only;
        return crossed == 0 ? 0 : 2 * crossed / (this->both * this->neither + crossed);
    }
};
