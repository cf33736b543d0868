/* The longest times with interrupts off: the cases, and the page in which programs write them down.
 *
 * A figure is counted from a read of the counter in front of the instruction that enters the kernel to the first read
 * behind it, in the program that runs then. So the figure contains a few instructions of programs, too. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include "samples.h"

#define EVERYWHERE_FIGURES(F)                                                                                      \
    F(read_registers, "label=TCBReadRegisters suspend=1 keys=31")                                                   \
    F(write_registers, "label=TCBWriteRegisters resume=1 keys=31")                                                  \
    F(suspend, "label=TCBSuspend keys=31")                                                                          \
    F(set_priority, "label=TCBSetPriority waiting=51")                                                              \
    F(set_mc_priority, "label=TCBSetMCPriority")                                                                    \
    F(resume, "label=TCBResume")                                                                                    \
    F(bind_notification, "label=TCBBindNotification")                                                               \
    F(unbind_notification, "label=TCBUnbindNotification")                                                           \
    F(set_tls_base, "label=TCBSetTLSBase")                                                                          \
    F(set_flags, "label=TCBSetFlags")                                                                               \
    F(acknowledge, "label=IRQAckIRQ")                                                                               \
    F(configure, "label=SchedControlConfigureFlags")                                                                \
    F(bind, "label=SchedContextBind")                                                                               \
    F(unbind_object, "label=SchedContextUnbindObject")                                                              \
    F(consumed, "label=SchedContextConsumed")                                                                       \
    F(fpu_counters, "label=LimenFpuReadCounters")                                                                   \
    F(fpu_policy, "label=LimenFpuSetPolicy")                                                                        \
    F(key_enable, "label=LimenKeyEnable sites=64")                                                                  \
    F(key_disable, "label=LimenKeyDisable sites=64")                                                                \
    F(key_inc, "label=LimenKeyInc sites=64")                                                                        \
    F(key_dec, "label=LimenKeyDec sites=64")                                                                        \
    F(key_read, "label=LimenKeyRead")                                                                               \
    F(key_follow, "label=LimenKeyFollow sites=64")                                                                  \
    F(probe_start, "label=LimenProbeStart ring=1")                                                                  \
    F(probe_stop, "label=LimenProbeStop")                                                                           \
    F(probe_arm, "label=LimenProbeArm")                                                                             \
    F(probe_read, "label=LimenProbeRead")                                                                           \
    F(call, "syscall=Call words=120")                                                                               \
    F(call_queue, "syscall=Call waiting=50")                                                                        \
    F(reply_recv, "syscall=ReplyRecv words=120")                                                                    \
    F(reply_recv_twice, "syscall=ReplyRecv words=120,120")                                                          \
    F(nb_send_recv, "syscall=NBSendRecv words=120,120")                                                             \
    F(nb_send_wait, "syscall=NBSendWait words=120,120")                                                             \
    F(send, "syscall=Send words=120")                                                                               \
    F(send_signal, "syscall=Send to=notification")                                                                  \
    F(nb_send, "syscall=NBSend words=120")                                                                          \
    F(recv, "syscall=Recv words=120")                                                                               \
    F(nb_recv, "syscall=NBRecv words=120")                                                                          \
    F(wait, "syscall=Wait words=120")                                                                               \
    F(nb_wait, "syscall=NBWait words=120")                                                                          \
    F(yield, "syscall=Yield budget=share")                                                                          \
    F(put_char, "syscall=DebugPutChar")                                                                             \
    F(vm_fault, "fault=VMFault")                                                                                    \
    F(vm_fault_wipe, "fault=VMFault wipe_kib=64")                                                                   \
    F(user_exception, "fault=UserException")                                                                        \
    F(cap_fault, "fault=CapFault")                                                                                  \
    F(unknown_syscall, "fault=UnknownSyscall")                                                                      \
    F(timeout, "fault=Timeout")                                                                                     \
    F(fpu_use, "event=FpuUse")                                                                                      \
    F(line_wipe, "event=Interrupt by=line wipe_kib=64")

#if defined(CONFIG_ARCH_AARCH64)
#define ARCHITECTURE_FIGURES(F)                                                                                    \
    F(clean, "label=ARMVSpaceClean_Data bytes=2048")                                                                \
    F(invalidate, "label=ARMVSpaceInvalidate_Data bytes=2048")                                                      \
    F(clean_invalidate, "label=ARMVSpaceCleanInvalidate_Data bytes=2048")                                           \
    F(unify, "label=ARMVSpaceUnify_Instruction bytes=2048")                                                         \
    F(smc, "label=ARMSMCCall")
#elif defined(CONFIG_ARCH_X86)
#define ARCHITECTURE_FIGURES(F)                                                                                    \
    F(in_8, "label=X86IOPortIn8")                                                                                   \
    F(in_16, "label=X86IOPortIn16")                                                                                 \
    F(in_32, "label=X86IOPortIn32")                                                                                 \
    F(out_8, "label=X86IOPortOut8")                                                                                 \
    F(out_16, "label=X86IOPortOut16")                                                                               \
    F(out_32, "label=X86IOPortOut32")
#else
#define ARCHITECTURE_FIGURES(F)
#endif

#define FIGURE_ID(id, row) figure_##id,
enum figure { EVERYWHERE_FIGURES(FIGURE_ID) ARCHITECTURE_FIGURES(FIGURE_ID) FIGURES };

/* What a program is asked for when it is resumed or restarted. */
enum command {
    DO_NOTHING,
    DO_YIELD,
    DO_BIND,
    DO_VM_FAULT,
    DO_USER_EXCEPTION,
    DO_CAP_FAULT,
    DO_UNKNOWN_SYSCALL,
    DO_PUT_CHAR,
    DO_SPIN,
};

struct shared {
    /* The counter before the kernel is entered, or 0; and how many instructions later the next program ran. */
    volatile seL4_Word before;
    volatile seL4_Word gap;
    /* The program with the lowest priority clears it and signals the tester. */
    volatile seL4_Word is_asked;
    volatile enum command command;
    /* Counted by the program above the tester before it stops itself. */
    volatile seL4_Word stops;
    volatile seL4_Word device;
    volatile seL4_Word figures[FIGURES];
};

/* Set by the tool. */
extern seL4_Word shared_page;

static inline struct shared *shared(void)
{
    return (struct shared *)shared_page;
}

/* The first thing that a program does when it runs again. */
static inline void landed(void)
{
    seL4_Word now = limen_counter();
    seL4_Word before = shared()->before;
    if (before) {
        shared()->gap = now - before;
        shared()->before = 0;
    }
}

#define MOST_WORDS 120ul
#define MOST_CAPS 3ul

/* The longest message, with capabilities that lead somewhere. */
static inline seL4_MessageInfo_t longest(seL4_Word label, seL4_CPtr cap)
{
    for (int i = 0; i < (int)MOST_CAPS; i++) {
        seL4_SetCap(i, cap);
    }
    return seL4_MessageInfo_new(label, 0, MOST_CAPS, MOST_WORDS);
}

/* A capability that the description hands out. */
static inline seL4_CPtr root(seL4_Word slot)
{
    return microkit_cspace_root_slot_to_cptr(slot);
}

#endif /* BENCH_FIGURES_H */
