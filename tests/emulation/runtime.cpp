// The scheduler of the emulation: fibers for the threads of a block, barriers, warp primitives, blocks in any order.
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "shim.h"
#include "fibers.h"
#include "runtime.h"

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace emu {

// -- state --------------------------------------------------------------------------------------------------------

struct Fiber {
    Context context;
    char* top;
};

struct Group {  // lanes of a warp that wait for each other
    unsigned mask, arrived;
    Kind kind;
};

enum State : unsigned char { NEW, WAITS, ENDED };

struct Warp;
struct Full : Thread {
    unsigned number;
    Warp* warp;
    Fiber* fiber;
    State state;
    bool at_barrier;
    Group wanted;
};

struct Warp {
    unsigned ready;  // lanes that can run
    unsigned exist;
    int n_groups;
    Group groups[32];
    uint64_t value[32], result[32], poison[32];
    unsigned source[32];
};

Thread* self;
dim3 block, grid, block_size;
uint64_t block_number;

static Full threads[1024];
static Warp warps[32];
static unsigned n_threads, n_warps, n_ended, current_warp;
static unsigned n_arrived, barrier_round;
static int barrier_sum[2];
static std::vector<Fiber*> fibers, idle;
static Context main_context;
static Full* next_thread;
static const Kernel* running;
static void** arguments;
static std::string problem;
static std::vector<char> shared;
static char* shared_start;
static size_t shared_bytes;
static uint64_t random_state;  // 0: the natural order

static uint64_t random_number() {  // xorshift64*
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717ull;
}

static inline Full* me() { return static_cast<Full*>(self); }

static Fiber* a_fiber() {
    if (!idle.empty()) {
        Fiber* fiber = idle.back();
        idle.pop_back();
        return fiber;
    }
    Fiber* fiber = new Fiber;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char* start = static_cast<char*>(mmap(nullptr, STACK + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(start, page, PROT_NONE);
    // Stacks begin at different lines of the cache, or 32 of them would fight for the same few.
    fiber->top = start + page + STACK - 64 - (fibers.size() % 32) * 320;
    fiber->context.start(fiber->top);
    fibers.push_back(fiber);
    return fiber;
}

static Full* pick_random() {
    unsigned candidates[32], n = 0;
    for (unsigned w = 0; w < n_warps; ++w)
        if (warps[w].ready) candidates[n++] = w;
    if (!n) return nullptr;
    const unsigned w = candidates[random_number() % n];
    unsigned skip = random_number() % (unsigned)__builtin_popcount(warps[w].ready), ready = warps[w].ready;
    while (skip--) ready &= ready - 1;
    const unsigned lane = (unsigned)__builtin_ctz(ready);
    warps[w].ready &= ~(1u << lane);
    return &threads[32 * w + lane];
}

// The thread that runs next: of the same warp if one can, since its stacks are in the cache.
static inline Full* pick() {
    if (__builtin_expect(random_state != 0, 0)) return pick_random();
    for (unsigned tried = 0; tried < n_warps; ++tried) {
        Warp& warp = warps[current_warp];
        if (warp.ready) {
            const unsigned lane = (unsigned)__builtin_ctz(warp.ready);
            warp.ready &= warp.ready - 1;
            return &threads[32 * current_warp + lane];
        }
        if (++current_warp == n_warps) current_warp = 0;
    }
    return nullptr;
}

static void run_fiber() {
    for (;;) {
        Full* thread = next_thread;
        Fiber* fiber = nullptr;
        // A thread that has not begun needs no fiber of its own until it waits.
        while (thread && thread->state == NEW) {
            fiber = fiber ? fiber : thread->fiber;
            thread->fiber = fiber;
            self = thread;
            running->invoke(running->function, arguments);
            thread->state = ENDED;
            fiber = thread->fiber;
            ++n_ended;
            thread = pick();
            if (thread && thread->state == NEW) thread->fiber = fiber;
        }
        idle.push_back(fiber);
        change(fiber->context, thread ? thread->fiber->context : main_context);
    }
}

static void wait() {
    Full* thread = me();
    thread->state = WAITS;
    Full* other = pick();
    if (!other) {
        change(thread->fiber->context, main_context);
    } else {
        if (other->state == NEW) {
            other->fiber = a_fiber();
            next_thread = other;
        }
        change(thread->fiber->context, other->fiber->context);
    }
    self = thread;
}

}  // namespace emu

#include "problems.h"

namespace emu {

// -- waiting for each other ---------------------------------------------------------------------------------------

static void complete(Warp& warp, const Group& group) {
    unsigned set = 0;
    if (group.kind >= BALLOT && group.kind <= ALL)
        for (unsigned lane = 0; lane < 32; ++lane) set |= (unsigned)(warp.value[lane] & 1) << lane;
    set &= group.mask;
    for (unsigned left = group.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (group.kind >= SHFL) {
            const unsigned source = warp.source[lane];
            warp.result[lane] = group.mask >> source & 1 ? warp.value[source] : warp.poison[lane];
        } else {
            warp.result[lane] = group.kind == BALLOT ? set : group.kind == ANY ? set != 0 : set == group.mask;
        }
    }
}

static Group& group_of(Warp& warp, Kind kind, unsigned mask) {
    for (int g = 0; g < warp.n_groups; ++g)
        if (warp.groups[g].mask == mask) return warp.groups[g];
    return warp.groups[warp.n_groups++] = {mask, 0, kind};
}

uint64_t warp_wait(Kind kind, unsigned mask, uint64_t value, unsigned source, uint64_t poison) {
    Full* thread = me();
    Warp& warp = *thread->warp;
    const unsigned lane = thread->lane, bit = 1u << lane;
    if (!(mask & bit)) fail(format("%s with mask 0x%08x, in which its own lane %u is not", NAMES[kind], mask, lane).c_str());
    warp.value[lane] = value;
    warp.source[lane] = source;
    warp.poison[lane] = poison;
    Group& group = group_of(warp, kind, mask);
    if (group.kind != kind)
        fail(format("%s with mask 0x%08x, while other lanes of the mask wait in %s", NAMES[kind], mask,
                    NAMES[group.kind]).c_str());
    group.arrived |= bit;
    if (group.arrived != mask) {
        wait();
        return warp.result[lane];
    }
    complete(warp, group);
    synchronised(static_cast<unsigned>(&warp - warps), mask);
    group = warp.groups[--warp.n_groups];
    warp.ready |= mask & ~bit;
    return warp.result[lane];
}

int barrier_wait(int value, int operation) {
    Full* thread = me();
    const unsigned round = barrier_round & 1;
    if (!n_arrived) barrier_sum[round] = operation == 2;
    int& sum = barrier_sum[round];
    if (operation == 1) sum += value != 0;
    if (operation == 2) sum = sum && value != 0;
    if (operation == 3) sum = sum || value != 0;
    if (++n_arrived < n_threads) {
        thread->at_barrier = true;
        wait();
        thread->at_barrier = false;
        return barrier_sum[round];
    }
    n_arrived = 0;
    ++barrier_round;
    synchronised_all();
    for (unsigned w = 0; w < n_warps; ++w) warps[w].ready = warps[w].exist;
    thread->warp->ready &= ~(1u << thread->lane);
    return sum;
}

// -- shared memory ------------------------------------------------------------------------------------------------

static const size_t GUARD = 256;
// NaN as a double and as each of two floats; as an integer, large and odd.
static const unsigned char POISON[8] = {0xcd, 0xcd, 0xc0, 0x7f, 0xcd, 0xcd, 0xf8, 0x7f};

static void poison_bytes(void* start, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(start)[i] = POISON[(reinterpret_cast<uintptr_t>(start) + i) % 8];
}

void* dynamic_shared() { return shared_start; }

void poison_shared(void* start, size_t bytes, uint64_t& poisoned_for) {
    if (poisoned_for == block_number) return;
    poisoned_for = block_number;
    poison_bytes(start, bytes);
    shared_variable(start, bytes);
}

static void prepare_shared(size_t bytes) {
    shared_bytes = bytes;
    shared.resize(bytes + 2 * GUARD + 256);
    shared_start = shared.data() + GUARD;
    shared_start += -reinterpret_cast<uintptr_t>(shared_start) & 127;
}

static bool shared_overrun() {
    for (size_t i = 0; i < GUARD; ++i)
        if ((unsigned char)shared_start[shared_bytes + i] != 0xb5 || (unsigned char)shared_start[-1 - (long)i] != 0xb5)
            return true;
    return false;
}

// -- blocks -------------------------------------------------------------------------------------------------------

static void forget_fibers() {  // after a failure, fibers stand in the middle of a kernel
    idle.clear();
    for (Fiber* fiber : fibers) {
        fiber->context.start(fiber->top);
        idle.push_back(fiber);
    }
}

static void run_block() {
    ++block_number;
    memset(shared_start - GUARD, 0xb5, GUARD);
    poison_bytes(shared_start, shared_bytes);
    memset(shared_start + shared_bytes, 0xb5, GUARD);
    for (unsigned w = 0; w < n_warps; ++w) {
        warps[w].ready = warps[w].exist;
        warps[w].n_groups = 0;
    }
    for (unsigned i = 0; i < n_threads; ++i) threads[i].state = NEW;
    n_ended = n_arrived = current_warp = 0;
    block_begins();
    next_thread = pick();
    next_thread->fiber = a_fiber();
    change(main_context, next_thread->fiber->context);
    if (problem.empty() && n_ended < n_threads) problem = deadlock();
    if (problem.empty() && shared_overrun()) problem = "something was written outside the dynamic shared memory";
}

static void make_threads() {
    n_threads = block_size.x * block_size.y * block_size.z;
    n_warps = (n_threads + 31) / 32;
    unsigned i = 0;
    for (unsigned z = 0; z < block_size.z; ++z)
        for (unsigned y = 0; y < block_size.y; ++y)
            for (unsigned x = 0; x < block_size.x; ++x, ++i) {
                threads[i].index = dim3(x, y, z);
                threads[i].number = i;
                threads[i].lane = i % 32;
                threads[i].warp = &warps[i / 32];
                threads[i].at_barrier = false;
            }
    for (unsigned w = 0; w < n_warps; ++w) warps[w].exist = ~0u >> (w + 1 < n_warps || !(n_threads % 32) ? 0 : 32 - n_threads % 32);
}

static bool launch(const Kernel& kernel, void** args, size_t dynamic, uint64_t seed) {
    running = &kernel;
    arguments = args;
    problem.clear();
    random_state = seed ? seed * 0x9e3779b97f4a7c15ull | 1 : 0;
    make_threads();
    prepare_shared(dynamic);
    launch_begins();
    const uint64_t n_blocks = (uint64_t)grid.x * grid.y * grid.z;
    std::vector<uint64_t> order;
    if (seed) {
        for (uint64_t i = 0; i < n_blocks; ++i) order.push_back(i);
        for (uint64_t i = n_blocks; i > 1; --i) std::swap(order[i - 1], order[random_number() % i]);
    }
    for (uint64_t i = 0; i < n_blocks && problem.empty(); ++i) {
        const uint64_t b = seed ? order[i] : i;
        block = dim3((unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y));
        run_block();
    }
    running = nullptr;
    if (!problem.empty()) forget_fibers();
    return problem.empty();
}

}  // namespace emu

#ifdef EMU_CHECK
#include "checker.h"
#endif

extern const emu::Kernel emu_kernels[];

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const char* emu_argument(int kernel, int i) { return emu_kernels[kernel].argument(i); }

EXPORTED void emu_watch(const emu::Range* blocks, size_t n_blocks, const emu::Range* parts, size_t n_parts) {
    emu::watch(blocks, n_blocks, parts, n_parts);
}

// Returns nullptr, or what went wrong: valid until the next launch.
EXPORTED const char* emu_launch(int kernel, const unsigned* grid, const unsigned* block, size_t dynamic_shared,
                                void** arguments, uint64_t seed) {
    emu::grid = dim3(grid[0], grid[1], grid[2]);
    emu::block_size = dim3(block[0], block[1], block[2]);
    if (emu::launch(emu_kernels[kernel], arguments, dynamic_shared, seed)) return nullptr;
    static std::string text;
    text = emu::format("%s, block (%u, %u, %u): ", emu_kernels[kernel].name, emu::block.x, emu::block.y, emu::block.z) +
           emu::problem;
    return text.c_str();
}
