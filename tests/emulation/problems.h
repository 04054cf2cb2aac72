// What the scheduler says when threads wait for each other in vain. Part of runtime.cpp.
#pragma once

namespace emu {

static std::string format(const char* text, ...) {
    char buffer[512];
    va_list list;
    va_start(list, text);
    vsnprintf(buffer, sizeof buffer, text, list);
    va_end(list);
    return buffer;
}

static const char* const NAMES[] = {"__syncwarp",  "__ballot_sync",  "__any_sync",       "__all_sync",
                                    "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};

void fail(const char* text) {
    if (problem.empty()) problem = format("thread (%u, %u, %u): %s", self->index.x, self->index.y, self->index.z, text);
    change(me()->fiber->context, main_context);  // never comes back
    __builtin_unreachable();
}

static std::string lanes_of(unsigned mask) {
    std::string text;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) text += format(text.empty() ? "%u" : " %u", lane);
    return text;
}

static std::string where_lanes_are(unsigned w, unsigned missing) {
    unsigned absent = missing & ~warps[w].exist, ended = 0, barrier = 0, elsewhere = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(missing & warps[w].exist & (1u << lane))) continue;
        const Full& thread = threads[32 * w + lane];
        (thread.state == ENDED ? ended : thread.at_barrier ? barrier : elsewhere) |= 1u << lane;
    }
    std::string text;
    if (absent) text += "; no such threads: " + lanes_of(absent);
    if (ended) text += "; the kernel has ended for: " + lanes_of(ended);
    if (barrier) text += "; at __syncthreads: " + lanes_of(barrier);
    if (elsewhere) text += "; in another warp primitive: " + lanes_of(elsewhere);
    return text;
}

// Nobody can run, and not all have ended: say who waits for whom.
static std::string deadlock() {
    std::string text;
    unsigned waits = 0, at_barrier = 0;
    for (unsigned i = 0; i < n_threads; ++i) {
        waits += threads[i].state == WAITS && !threads[i].at_barrier;
        at_barrier += threads[i].state == WAITS && threads[i].at_barrier;
    }
    if (at_barrier)
        text = format("__syncthreads is never reached by %u of %u threads (the kernel has ended for %u, %u wait in a "
                      "warp primitive)", n_threads - at_barrier, n_threads, n_ended, waits);
    for (unsigned w = 0; w < n_warps; ++w)
        for (int g = 0; g < warps[w].n_groups; ++g) {
            const Group& group = warps[w].groups[g];
            const unsigned missing = group.mask & ~group.arrived;
            text += format("%s%s with mask 0x%08x in warp %u: it is never reached by lanes ", text.empty() ? "" : "; ",
                           NAMES[group.kind], group.mask, w) + lanes_of(missing) + where_lanes_are(w, missing);
        }
    return text;
}

}  // namespace emu
