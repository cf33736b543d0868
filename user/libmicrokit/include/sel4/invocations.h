/* Methods of threads, scheduling contexts, address spaces, interrupt lines and I/O ports.
 *
 * When a method returns an error, message words 0 to 3 of the IPC buffer hold its details (seL4_GetMR). */
#ifndef SEL4_INVOCATIONS_H
#define SEL4_INVOCATIONS_H

#include <sel4/syscalls.h>

/* Invokes a method. The buffer already holds the capability arguments; `length` is the number of words. */
LIMEN_INLINE limen_received_t limen_invoke(seL4_CPtr service, seL4_InvocationLabel method, seL4_Word caps,
                                           seL4_Word length, limen_words_t words)
{
    seL4_MessageInfo_t request = seL4_MessageInfo_new(LIMEN_VALUE(seL4_Word, method), 0, caps, length);
    return limen_trap_call(service, request, words);
}

/* Converts the reply to an error code and stores the details of an error in the buffer. */
LIMEN_INLINE seL4_Error limen_outcome(limen_received_t answer)
{
    seL4_Error error = LIMEN_VALUE(seL4_Error, seL4_MessageInfo_get_label(answer.info));
    if (error != seL4_NoError) {
        limen_store_words(seL4_GetIPCBuffer(), answer.words);
    }
    return error;
}

LIMEN_INLINE limen_words_t limen_two_words(seL4_Word mr0, seL4_Word mr1)
{
    limen_words_t words = { mr0, mr1, 0, 0 };
    return words;
}

/* Invokes a method without words. */
LIMEN_INLINE seL4_Error limen_invoke_plain(seL4_CPtr service, seL4_InvocationLabel method, seL4_Word caps)
{
    return limen_outcome(limen_trap_call_empty(service, seL4_MessageInfo_new(LIMEN_VALUE(seL4_Word, method), 0, caps, 0)));
}

/* Message word 0 of both register methods: one Boolean, and flags that no architecture uses yet. */
LIMEN_INLINE seL4_Word limen_register_flags(seL4_Bool act_too, seL4_Uint8 arch_flags)
{
    return (act_too ? 1ul : 0ul) | (LIMEN_VALUE(seL4_Word, arch_flags) << 8);
}

/* Reads the first `count` registers of another thread, and stops it first if asked to. */
static inline seL4_Error seL4_TCB_ReadRegisters(seL4_TCB service, seL4_Bool suspend_source, seL4_Uint8 arch_flags,
                                                seL4_Word count, seL4_UserContext *regs)
{
    limen_words_t request = limen_two_words(limen_register_flags(suspend_source, arch_flags), count);
    limen_received_t answer = limen_invoke(service, TCBReadRegisters, 0, 2, request);
    limen_store_words(seL4_GetIPCBuffer(), answer.words);
    seL4_Error error = limen_outcome(answer);
    seL4_Word arrived = error == seL4_NoError ? seL4_MessageInfo_get_length(answer.info) : 0;
    /* Volatile, so that no compiler turns the loop into a call to memcpy, which programs may lack. */
    const volatile seL4_Word *message = seL4_GetIPCBuffer()->msg;
    seL4_Word *registers = LIMEN_ADDRESS(seL4_Word *, regs);
    seL4_Word i;
    for (i = 0; i < arrived && i < count && i < LIMEN_CONTEXT_WORDS; i++) {
        registers[i] = message[i];
    }
    return error;
}

/* Writes the first `count` registers of another thread, and resumes it if asked to. */
static inline seL4_Error seL4_TCB_WriteRegisters(seL4_TCB service, seL4_Bool resume_target, seL4_Uint8 arch_flags,
                                                 seL4_Word count, seL4_UserContext *regs)
{
    volatile seL4_Word *message = seL4_GetIPCBuffer()->msg;
    const seL4_Word *registers = LIMEN_ADDRESS(const seL4_Word *, regs);
    seL4_Word i;
    message[0] = limen_register_flags(resume_target, arch_flags);
    message[1] = count;
    for (i = 0; i < count && i < LIMEN_CONTEXT_WORDS; i++) {
        message[2 + i] = registers[i];
    }
    return limen_outcome(limen_invoke(service, TCBWriteRegisters, 0, 2 + count, limen_load_words(seL4_GetIPCBuffer())));
}

/* Stops a thread until it is resumed. */
static inline seL4_Error seL4_TCB_Suspend(seL4_TCB service)
{
    return limen_invoke_plain(service, TCBSuspend, 0);
}

/* Resumes a stopped thread. */
static inline seL4_Error seL4_TCB_Resume(seL4_TCB service)
{
    return limen_invoke_plain(service, TCBResume, 0);
}

/* Sets a thread's priority, at most the maximum controlled priority of the thread `authority`. */
static inline seL4_Error seL4_TCB_SetPriority(seL4_TCB service, seL4_TCB authority, seL4_Word priority)
{
    seL4_SetCap(0, authority);
    return limen_outcome(limen_invoke(service, TCBSetPriority, 1, 1, limen_two_words(priority, 0)));
}

/* Sets a thread's maximum controlled priority, at most that of the thread `authority`. */
static inline seL4_Error seL4_TCB_SetMCPriority(seL4_TCB service, seL4_TCB authority, seL4_Word mcp)
{
    seL4_SetCap(0, authority);
    return limen_outcome(limen_invoke(service, TCBSetMCPriority, 1, 1, limen_two_words(mcp, 0)));
}

/* Binds a notification to a thread: its signals also wake the thread from a receive on an endpoint. */
static inline seL4_Error seL4_TCB_BindNotification(seL4_TCB service, seL4_CPtr notification)
{
    seL4_SetCap(0, notification);
    return limen_invoke_plain(service, TCBBindNotification, 1);
}

/* Unbinds a thread from its notification. */
static inline seL4_Error seL4_TCB_UnbindNotification(seL4_TCB service)
{
    return limen_invoke_plain(service, TCBUnbindNotification, 0);
}

/* Sets the thread-local storage register of another thread. */
static inline seL4_Error seL4_TCB_SetTLSBase(seL4_TCB service, seL4_Word tls_base)
{
    return limen_outcome(limen_invoke(service, TCBSetTLSBase, 0, 1, limen_two_words(tls_base, 0)));
}

/* The result of seL4_TCB_SetFlags. */
typedef struct seL4_TCB_SetFlags {
    int error;
    seL4_Word flags;
} seL4_TCB_SetFlags_t;

/* Clears flags of a thread, then sets others, and returns the new flags. Takes effect at once, also on the caller. */
static inline seL4_TCB_SetFlags_t seL4_TCB_SetFlags(seL4_TCB service, seL4_Word clear, seL4_Word set)
{
    limen_received_t answer = limen_invoke(service, TCBSetFlags, 0, 2, limen_two_words(clear, set));
    seL4_TCB_SetFlags_t result;
    result.error = limen_outcome(answer);
    result.flags = answer.words.mr0;
    return result;
}

/* The same without returning the flags. */
static inline int seL4_TCB_Set_Flags(seL4_TCB service, seL4_Word clear, seL4_Word set)
{
    return seL4_TCB_SetFlags(service, clear, set).error;
}

/* Acknowledges an interrupt line, so that it can be delivered again. */
static inline seL4_Error seL4_IRQHandler_Ack(seL4_IRQHandler service)
{
    return limen_invoke_plain(service, IRQAckIRQ, 0);
}

/* Binds a scheduling context to a thread or a notification. */
static inline seL4_Error seL4_SchedContext_Bind(seL4_SchedContext service, seL4_CPtr cap)
{
    seL4_SetCap(0, cap);
    return limen_invoke_plain(service, SchedContextBind, 1);
}

/* Unbinds a scheduling context from every object that it is bound to. */
static inline seL4_Error seL4_SchedContext_Unbind(seL4_SchedContext service)
{
    return limen_invoke_plain(service, SchedContextUnbind, 0);
}

/* Unbinds a scheduling context from one thread or notification. */
static inline seL4_Error seL4_SchedContext_UnbindObject(seL4_SchedContext service, seL4_CPtr cap)
{
    seL4_SetCap(0, cap);
    return limen_invoke_plain(service, SchedContextUnbindObject, 1);
}

/* The result of seL4_SchedContext_Consumed. */
typedef struct seL4_SchedContext_Consumed {
    int error;
    seL4_Time consumed;
} seL4_SchedContext_Consumed_t;

/* Returns the microseconds consumed since the last call of this function. */
static inline seL4_SchedContext_Consumed_t seL4_SchedContext_Consumed(seL4_SchedContext service)
{
    seL4_MessageInfo_t request = seL4_MessageInfo_new(SchedContextConsumed, 0, 0, 0);
    limen_received_t answer = limen_trap_call_empty(service, request);
    seL4_SchedContext_Consumed_t result;
    result.error = limen_outcome(answer);
    result.consumed = answer.words.mr0;
    return result;
}

/* Sets the budget and period of a scheduling context, in microseconds. Timeout faults carry `badge`. */
static inline seL4_Error seL4_SchedControl_ConfigureFlags(seL4_SchedControl service, seL4_SchedContext schedcontext,
                                                          seL4_Time budget, seL4_Time period,
                                                          seL4_Word extra_refills, seL4_Word badge, seL4_Word flags)
{
    limen_words_t words = { budget, period, extra_refills, badge };
    seL4_SetCap(0, schedcontext);
    seL4_SetMR(4, flags);
    return limen_outcome(limen_invoke(service, SchedControlConfigureFlags, 1, 5, words));
}

/* The same without flags. */
static inline seL4_Error seL4_SchedControl_Configure(seL4_SchedControl service, seL4_SchedContext schedcontext,
                                                     seL4_Time budget, seL4_Time period, seL4_Word extra_refills,
                                                     seL4_Word badge)
{
    return seL4_SchedControl_ConfigureFlags(service, schedcontext, budget, period, extra_refills, badge, 0);
}

#if defined(CONFIG_ALLOW_SMC_CALLS)
/* The registers of a secure monitor call. */
typedef struct seL4_ARM_SMCContext_ {
    seL4_Word x0, x1, x2, x3, x4, x5, x6, x7;
} seL4_ARM_SMCContext;

#define LIMEN_SMC_WORDS (sizeof(seL4_ARM_SMCContext) / sizeof(seL4_Word))

/* Calls the secure monitor and stores its results. */
static inline seL4_Error seL4_ARM_SMC_Call(seL4_CPtr service, seL4_ARM_SMCContext *smc_args,
                                           seL4_ARM_SMCContext *smc_response)
{
    volatile seL4_Word *message = seL4_GetIPCBuffer()->msg;
    const seL4_Word *args = LIMEN_ADDRESS(const seL4_Word *, smc_args);
    seL4_Word i;
    for (i = 0; i < LIMEN_SMC_WORDS; i++) {
        message[i] = args[i];
    }
    limen_words_t words = limen_load_words(seL4_GetIPCBuffer());
    limen_received_t answer = limen_invoke(service, ARMSMCCall, 0, LIMEN_SMC_WORDS, words);
    limen_store_words(seL4_GetIPCBuffer(), answer.words);
    seL4_Error error = limen_outcome(answer);
    seL4_Word *response = LIMEN_ADDRESS(seL4_Word *, smc_response);
    for (i = 0; error == seL4_NoError && i < LIMEN_SMC_WORDS; i++) {
        response[i] = message[i];
    }
    return error;
}
#endif

#if defined(CONFIG_ARCH_AARCH64)
/* Cache maintenance for user addresses from `start` up to but not including `end`, within one block of 2 MiB. */
#define LIMEN_DEFINE_CACHE_METHOD(method)                                                                          \
    static inline seL4_Error seL4_ARM_VSpace_##method(seL4_CPtr service, seL4_Word start, seL4_Word end)           \
    {                                                                                                              \
        return limen_outcome(limen_invoke(service, ARMVSpace##method, 0, 2, limen_two_words(start, end)));         \
    }
LIMEN_DEFINE_CACHE_METHOD(Clean_Data)
LIMEN_DEFINE_CACHE_METHOD(Invalidate_Data)
LIMEN_DEFINE_CACHE_METHOD(CleanInvalidate_Data)
LIMEN_DEFINE_CACHE_METHOD(Unify_Instruction)
#undef LIMEN_DEFINE_CACHE_METHOD
#endif

#if defined(CONFIG_ARCH_X86)
/* The value read from a port. */
typedef struct seL4_X86_IOPort_In8 {
    int error;
    seL4_Uint8 result;
} seL4_X86_IOPort_In8_t;
typedef struct seL4_X86_IOPort_In16 {
    int error;
    seL4_Uint16 result;
} seL4_X86_IOPort_In16_t;
typedef struct seL4_X86_IOPort_In32 {
    int error;
    seL4_Uint32 result;
} seL4_X86_IOPort_In32_t;

/* Reads and writes a port. All of its bytes must lie in the capability's range. */
#define LIMEN_DEFINE_PORT_ACCESS(bits)                                                                             \
    static inline seL4_X86_IOPort_In##bits##_t seL4_X86_IOPort_In##bits(seL4_CPtr service, seL4_Uint16 port)       \
    {                                                                                                              \
        limen_received_t answer = limen_invoke(service, X86IOPortIn##bits, 0, 1, limen_two_words(port, 0));        \
        seL4_X86_IOPort_In##bits##_t result;                                                                       \
        result.error = limen_outcome(answer);                                                                      \
        result.result = LIMEN_VALUE(seL4_Uint##bits, answer.words.mr0);                                            \
        return result;                                                                                             \
    }                                                                                                              \
    static inline seL4_Error seL4_X86_IOPort_Out##bits(seL4_CPtr service, seL4_Word port, seL4_Word data)          \
    {                                                                                                              \
        return limen_outcome(limen_invoke(service, X86IOPortOut##bits, 0, 2, limen_two_words(port, data)));        \
    }
LIMEN_DEFINE_PORT_ACCESS(8)
LIMEN_DEFINE_PORT_ACCESS(16)
LIMEN_DEFINE_PORT_ACCESS(32)
#undef LIMEN_DEFINE_PORT_ACCESS
#endif

#endif /* SEL4_INVOCATIONS_H */
