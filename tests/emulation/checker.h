// Every access of a kernel to memory: out of bounds, or a race with another thread. Part of runtime.cpp.
//
// The kernels are compiled with -fsanitize=thread, and these are the functions which that calls: GCC's own library
// knows nothing of fibers. Two accesses to one element, one of them a write, are a race unless a barrier, a warp
// primitive in which both lanes took part, or atomics order them.
#pragma once

#include <unordered_map>

extern "C" __attribute__((visibility("hidden"))) char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) char _end;

namespace emu {

struct Access {
    uint64_t thread;  // 1 + number over all blocks; 0: none
    unsigned time;    // of its lane
    unsigned round;   // of the block's barrier
    bool atomic;
};

struct Cell {
    Access write, reads[2];
};

struct Watched {
    Range range;
    bool is_shared;
    std::vector<Cell> cells;
};

static std::vector<Watched> watched;
static std::vector<Range> given;  // the parts of the blocks that the kernel may touch
static unsigned clocks[1024][32];  // by thread: what it knows of the lanes of its warp

void watch(const Range* blocks, size_t n_blocks, const Range* parts, size_t n_parts) {
    watched.clear();
    for (size_t i = 0; i < n_blocks; ++i) watched.push_back({blocks[i], false, {}});
    given.assign(parts, parts + n_parts);
}

void launch_begins() {
    for (Watched& array : watched) array.cells.assign(array.range.bytes / array.range.element + 1, Cell());
}

void block_begins() {
    while (!watched.empty() && watched.back().is_shared) watched.pop_back();
    memset(clocks, 0, sizeof clocks);
    for (unsigned i = 0; i < n_threads; ++i) clocks[i][i % 32] = 1;
    if (shared_bytes) shared_variable(shared_start, shared_bytes);
}

void shared_variable(void* start, size_t bytes) {
    watched.push_back({{reinterpret_cast<uintptr_t>(start), bytes, 4, 0}, true, std::vector<Cell>(bytes / 4 + 1)});
}

void synchronised(unsigned warp, unsigned mask) {
    unsigned known[32] = {0};
    for (unsigned lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1)
            for (unsigned i = 0; i < 32; ++i)
                if (clocks[32 * warp + lane][i] > known[i]) known[i] = clocks[32 * warp + lane][i];
    for (unsigned lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            memcpy(clocks[32 * warp + lane], known, sizeof known);
            ++clocks[32 * warp + lane][lane];
        }
}

void synchronised_all() {}  // the barrier's round says it

static uint64_t thread_number() {
    return 1 + 1024 * (block.x + (uint64_t)grid.x * (block.y + (uint64_t)grid.y * block.z)) + me()->number;
}

static bool ordered(const Access& before, const Access& now) {
    if (!before.thread || before.thread == now.thread || (before.atomic && now.atomic)) return true;
    if ((before.thread - 1) / 1024 != (now.thread - 1) / 1024) return false;
    if (before.round != now.round) return true;
    const unsigned other = (before.thread - 1) % 1024;
    return other / 32 == me()->number / 32 && clocks[me()->number][other % 32] >= before.time;
}

static void race(const Watched& array, size_t at, const Access& before, const char* what) {
    const uint64_t other = before.thread - 1;
    fail(format("a race: it %s byte %llu of %s, as thread %u of block %llu does, and nothing orders the two", what,
                (unsigned long long)(at * array.range.element),
                array.is_shared ? "a shared variable" : format("the memory of argument %u", (unsigned)array.range.argument).c_str(),
                (unsigned)(other % 1024), (unsigned long long)(other / 1024)).c_str());
}

static void note(Watched& array, size_t at, bool write, const Access& now) {
    Cell& cell = array.cells[at];
    if (!ordered(cell.write, now)) race(array, at, cell.write, write ? "writes" : "reads");
    if (write) {
        for (const Access& read : cell.reads)
            if (!ordered(read, now)) race(array, at, read, "writes");
        cell.write = now;
        cell.reads[0].thread = cell.reads[1].thread = 0;
    } else if (cell.reads[0].thread == now.thread || ordered(cell.reads[0], now)) {
        cell.reads[0] = now;
    } else {
        cell.reads[1] = now;
    }
}

static bool private_memory(uintptr_t address) {
    const uintptr_t top = reinterpret_cast<uintptr_t>(me()->fiber->top) + 16384;
    if (address < top && address >= top - 2 * STACK) return true;
    // Constants of the library, and the shim's own variables.
    return address >= reinterpret_cast<uintptr_t>(&__ehdr_start) && address < reinterpret_cast<uintptr_t>(&_end);
}

static void out_of_bounds(uintptr_t address, size_t bytes, bool write) {
    std::string nearest = "no array was given";
    uint64_t least = ~(uint64_t)0;
    for (const Range& range : given) {
        const bool after = address >= range.start;
        const uint64_t distance = after ? address - (range.start + range.bytes) : range.start - address;
        if (distance >= least) continue;
        least = distance;
        nearest = format("%llu bytes %s argument %u", (unsigned long long)distance, after ? "after the end of" : "before",
                         (unsigned)range.argument);
    }
    fail(format("it %s %zu bytes outside of all arrays: %s", write ? "writes" : "reads", bytes, nearest.c_str()).c_str());
}

static bool within(uintptr_t address, size_t bytes, const Range& range) {
    return address >= range.start && address + bytes <= range.start + range.bytes;
}

static bool may_touch(uintptr_t address, size_t bytes, const Watched& array) {
    if (array.is_shared) return within(address, bytes, array.range);
    for (const Range& part : given)
        if (within(address, bytes, part)) return true;
    return false;
}

static void access(void* pointer, size_t bytes, bool write, bool is_atomic) {
    if (!running) return;  // the library is being loaded, or asked for its kernels
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    for (Watched& array : watched) {
        const uint64_t offset = address - array.range.start;
        if (address < array.range.start || offset >= array.range.bytes) continue;
        if (!may_touch(address, bytes, array)) out_of_bounds(address, bytes, write);
        const Access now = {thread_number(), clocks[me()->number][me()->lane], barrier_round, is_atomic};
        const uint64_t last = (offset + bytes - 1) / array.range.element;
        for (uint64_t at = offset / array.range.element; at <= last; ++at) note(array, at, write, now);
        return;
    }
    if (!private_memory(address)) out_of_bounds(address, bytes, write);
}

void atomic(void* address, size_t bytes) { access(address, bytes, true, true); }

}  // namespace emu

#define EMU_HOOK(bytes)                                                                                       \
    extern "C" void __tsan_read##bytes(void* p) { emu::access(p, bytes, false, false); }                      \
    extern "C" void __tsan_write##bytes(void* p) { emu::access(p, bytes, true, false); }                      \
    extern "C" void __tsan_unaligned_read##bytes(void* p) { emu::access(p, bytes, false, false); }            \
    extern "C" void __tsan_unaligned_write##bytes(void* p) { emu::access(p, bytes, true, false); }            \
    extern "C" void __tsan_volatile_read##bytes(void* p) { emu::access(p, bytes, false, false); }             \
    extern "C" void __tsan_volatile_write##bytes(void* p) { emu::access(p, bytes, true, false); }
EMU_HOOK(1)
EMU_HOOK(2)
EMU_HOOK(4)
EMU_HOOK(8)
EMU_HOOK(16)
extern "C" void __tsan_read_range(void* p, size_t bytes) { emu::access(p, bytes, false, false); }
extern "C" void __tsan_write_range(void* p, size_t bytes) { emu::access(p, bytes, true, false); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
