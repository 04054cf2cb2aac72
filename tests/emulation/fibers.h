// Changing from one fiber to another: a switch is some ten nanoseconds, without a system call. Part of runtime.cpp.
#pragma once

#if defined(__x86_64__) && !defined(EMU_UCONTEXT)
// Only the registers that a callee must keep; no system call. All fibers wait along the same chain of calls, so that
// the processor's guess where a return leads is right although it was another fiber that called.
asm(R"(
.text
.balign 16
emu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
#elif defined(__aarch64__) && !defined(EMU_UCONTEXT)
asm(R"(
.text
.balign 16
emu_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
)");
#else
#undef EMU_UCONTEXT
#define EMU_UCONTEXT
#include <ucontext.h>
#endif

namespace emu {

static const size_t STACK = 128 * 1024;
static void run_fiber();

#ifndef EMU_UCONTEXT
extern "C" void emu_switch(void** save, void* load) __asm__("emu_switch");
struct Context {
    void* sp = nullptr;
    void start(char* top) {
#if defined(__x86_64__)
        void** frame = reinterpret_cast<void**>(top) - 8;
        for (int i = 0; i < 8; ++i) frame[i] = nullptr;
        frame[6] = reinterpret_cast<void*>(run_fiber);
#else
        void** frame = reinterpret_cast<void**>(top) - 20;
        for (int i = 0; i < 20; ++i) frame[i] = nullptr;
        frame[11] = reinterpret_cast<void*>(run_fiber);
#endif
        sp = frame;
    }
};
static inline void change(Context& from, Context& to) { emu_switch(&from.sp, to.sp); }
#else
struct Context {
    ucontext_t context;
    void start(char* top) {
        getcontext(&context);
        context.uc_stack.ss_sp = top - STACK / 2;
        context.uc_stack.ss_size = STACK / 2;
        context.uc_link = nullptr;
        makecontext(&context, run_fiber, 0);
    }
};
static inline void change(Context& from, Context& to) { swapcontext(&from.context, &to.context); }
#endif

}  // namespace emu
