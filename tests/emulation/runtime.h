// What the scheduler tells the checker of memory accesses, and nothing where there is none.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace emu {

struct Range {  // a block of memory, or the part of it that a kernel was given
    uintptr_t start;
    uint64_t bytes;
    uint64_t element;   // bytes of the smallest element, of a block
    uint64_t argument;  // position of the first argument that lies there
};

#ifdef EMU_CHECK
void synchronised(unsigned warp, unsigned mask);
void synchronised_all();
void launch_begins();
void block_begins();
void shared_variable(void* start, size_t bytes);
void watch(const Range* blocks, size_t n_blocks, const Range* parts, size_t n_parts);
void atomic(void* address, size_t bytes);
#else
inline void synchronised(unsigned, unsigned) {}
inline void synchronised_all() {}
inline void launch_begins() {}
inline void block_begins() {}
inline void shared_variable(void*, size_t) {}
inline void watch(const Range*, size_t, const Range*, size_t) {}
void atomic(void*, size_t) {}
#endif

}  // namespace emu
