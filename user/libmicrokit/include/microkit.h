/* The Microkit interface of a protection domain: its entry points, and operations on other protection domains.
 *
 * Identifiers of channels, interrupts and children are the numbers of the system description. A function that receives
 * an identifier without a grant in the description reports it on the debug console and does nothing else. */
#ifndef MICROKIT_H
#define MICROKIT_H

#include <sel4/sel4.h>
#include <limen/slots.h>

#if defined(CONFIG_LIB_LIMEN_OLDER_NAME)
/* Programs for a board's older name use types of these headers without including them. */
#include <stdbool.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int microkit_channel;
typedef unsigned int microkit_child;
typedef unsigned int microkit_ioport;
typedef seL4_MessageInfo_t microkit_msginfo;

/* Root slots that <cspace> of a system description may name. */
#define MICROKIT_MAX_USER_CAPS 128

/* Entry points, supplied by the program. They never nest or run concurrently. */

/* Runs once, at the start. */
void init(void);

/* Runs for each signalled channel or interrupt, lowest identifier first. */
void notified(microkit_channel ch);

/* Handles a protected call and returns the reply. Optional. */
#ifdef __cplusplus
/* C++ reserves the name `protected`, so this function uses it as its symbol only. */
microkit_msginfo microkit_protected(microkit_channel ch, microkit_msginfo msginfo) __asm__("protected");
#else
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo);
#endif

/* Handles the fault of a child. Returning true replies with *reply_msginfo (label 0 resumes the child); returning false
 * leaves it stopped. Optional. */
seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo);

/* The protection domain's name, without a terminator if it fills the array. */
extern char microkit_name[MICROKIT_PD_NAME_LENGTH];

/* The pending signal, which the next receive sends. Programs may set it themselves. */
extern seL4_Bool microkit_have_signal;
extern seL4_CPtr microkit_signal_cap;
extern seL4_MessageInfo_t microkit_signal_msg;

/* Granted identifiers, one bit each. */
extern seL4_Word microkit_irqs;
extern seL4_Word microkit_notifications;
extern seL4_Word microkit_pps;
extern seL4_Word microkit_ioports;

/* The debug console. It prints only in the debug configuration. */
void microkit_dbg_putc(int c);
void microkit_dbg_puts(const char *s);
void microkit_dbg_put8(seL4_Uint8 x);
void microkit_dbg_put32(seL4_Uint32 x);

/* Reports on the debug console, out of line because they are rare. */
void limen_report_channel(const char *function, microkit_channel ch) __attribute__((cold));
void limen_report_ioport(const char *function, microkit_ioport id) __attribute__((cold));
void limen_report_child(const char *trouble, microkit_child child) __attribute__((cold));
void limen_report_lost_signal(const char *function, microkit_channel ch) __attribute__((cold));
void limen_report_word(const char *function, seL4_Uint8 mr) __attribute__((cold));

#ifdef __cplusplus
}
#endif

/* True if `granted` has the bit of an identifier. */
LIMEN_INLINE int limen_is_granted(seL4_Word granted, microkit_channel ch)
{
    return __builtin_expect(ch <= MICROKIT_MAX_CHANNEL_ID && ((granted >> ch) & 1), 1);
}

/* Stops the program with a fault at the address `err`, so that the report shows the code. */
static inline void microkit_internal_crash(seL4_Error err)
{
    volatile seL4_Uint32 *address = LIMEN_ADDRESS(volatile seL4_Uint32 *, LIMEN_VALUE(seL4_Word, err));
    /* Hides the value, because compilers warn about a store to a small constant address. */
    __asm__ volatile ("" : "+r"(address));
    *address = 0;
}

/* Signals a peer. Never blocks. */
static inline void microkit_notify(microkit_channel ch)
{
    if (!limen_is_granted(microkit_notifications, ch)) {
        limen_report_channel("microkit_notify", ch);
        return;
    }
    seL4_Signal(BASE_OUTPUT_NOTIFICATION_CAP + ch);
}

/* Acknowledges an interrupt, so that it can be delivered again. */
static inline void microkit_irq_ack(microkit_channel ch)
{
    if (!limen_is_granted(microkit_irqs, ch)) {
        limen_report_channel("microkit_irq_ack", ch);
        return;
    }
    seL4_IRQHandler_Ack(BASE_IRQ_CAP + ch);
}

/* Calls a protection domain of higher priority and waits for its reply. */
static inline microkit_msginfo microkit_ppcall(microkit_channel ch, microkit_msginfo msginfo)
{
    if (!limen_is_granted(microkit_pps, ch)) {
        limen_report_channel("microkit_ppcall", ch);
        return seL4_MessageInfo_new(0, 0, 0, 0);
    }
    return seL4_Call(BASE_ENDPOINT_CAP + ch, msginfo);
}

static inline microkit_msginfo microkit_msginfo_new(seL4_Word label, seL4_Uint16 count)
{
    return seL4_MessageInfo_new(label, 0, 0, count);
}

static inline seL4_Word microkit_msginfo_get_label(microkit_msginfo msginfo)
{
    return seL4_MessageInfo_get_label(msginfo);
}

static inline seL4_Word microkit_msginfo_get_count(microkit_msginfo msginfo)
{
    return seL4_MessageInfo_get_length(msginfo);
}

/* True if a message has a word of this number. Checked in debug only, because messages are on the hot path. */
LIMEN_INLINE int limen_is_word(const char *function, seL4_Uint8 mr)
{
#if defined(CONFIG_DEBUG_BUILD)
    if (__builtin_expect(mr >= seL4_MsgMaxLength, 0)) {
        limen_report_word(function, mr);
        return 0;
    }
#else
    (void)function;
    (void)mr;
#endif
    return 1;
}

/* Message words: arguments before a protected call, results after it. A message has up to 120. The debug configuration
 * reports other indices and reads 0; the other configurations do not check. */
static inline void microkit_mr_set(seL4_Uint8 mr, seL4_Word value)
{
    if (limen_is_word("microkit_mr_set", mr)) {
        seL4_SetMR(mr, value);
    }
}

static inline seL4_Word microkit_mr_get(seL4_Uint8 mr)
{
    return limen_is_word("microkit_mr_get", mr) ? seL4_GetMR(mr) : 0;
}

/* Defers a signal to the next receive and replaces an earlier one that is still pending. */
LIMEN_INLINE void limen_defer(const char *function, microkit_channel ch, seL4_CPtr cap, seL4_MessageInfo_t message)
{
#if defined(CONFIG_DEBUG_BUILD)
    if (microkit_have_signal && microkit_signal_cap != cap) {
        limen_report_lost_signal(function, ch);
    }
#else
    (void)function;
    (void)ch;
#endif
    microkit_have_signal = seL4_True;
    microkit_signal_cap = cap;
    microkit_signal_msg = message;
}

/* Like microkit_notify, but sent with the next receive, which saves a system call. Only one signal or acknowledgement
 * can be pending; a later one replaces it. */
static inline void microkit_deferred_notify(microkit_channel ch)
{
    if (!limen_is_granted(microkit_notifications, ch)) {
        limen_report_channel("microkit_deferred_notify", ch);
        return;
    }
    limen_defer("microkit_deferred_notify", ch, BASE_OUTPUT_NOTIFICATION_CAP + ch, seL4_MessageInfo_new(0, 0, 0, 0));
}

/* Like microkit_irq_ack, but sent with the next receive. */
static inline void microkit_deferred_irq_ack(microkit_channel ch)
{
    if (!limen_is_granted(microkit_irqs, ch)) {
        limen_report_channel("microkit_deferred_irq_ack", ch);
        return;
    }
    limen_defer("microkit_deferred_irq_ack", ch, BASE_IRQ_CAP + ch, seL4_MessageInfo_new(IRQAckIRQ, 0, 0, 0));
}

/* Returns the thread capability of a child. A number out of range must not select another capability, so it selects none;
 * the kernel then refuses the call as for a child that does not exist. */
LIMEN_INLINE seL4_CPtr limen_child_thread(microkit_child pd)
{
    return pd <= MICROKIT_MAX_CHANNEL_ID ? BASE_TCB_CAP + pd : seL4_CapNull;
}

/* Restarts a child at `entry_point`. At that of a program it begins on an empty stack. Memory keeps its contents unless
 * limen_reset comes first. */
static inline void microkit_pd_restart(microkit_child pd, seL4_Word entry_point)
{
    limen_words_t request = { limen_register_flags(seL4_True, 0), 1, entry_point, 0 };
    seL4_Error err = limen_outcome(limen_invoke(limen_child_thread(pd), TCBWriteRegisters, 0, 3, request));
    if (err != seL4_NoError) {
        microkit_dbg_puts("microkit_pd_restart: error writing TCB registers\n");
        microkit_internal_crash(err);
    }
}

/* Stops a child until the parent resumes or restarts it. */
static inline void microkit_pd_stop(microkit_child pd)
{
    seL4_Error err = seL4_TCB_Suspend(limen_child_thread(pd));
    if (err != seL4_NoError) {
        limen_report_child("microkit_pd_stop: error stopping TCB", pd);
        microkit_internal_crash(err);
    }
}

/* Resumes a stopped child. */
static inline void microkit_pd_resume(microkit_child pd)
{
    seL4_Error err = seL4_TCB_Resume(limen_child_thread(pd));
    if (err != seL4_NoError) {
        limen_report_child("microkit_pd_resume: error resuming TCB", pd);
        microkit_internal_crash(err);
    }
}

#if defined(CONFIG_LIB_LIMEN_OLDER_NAME)
/* Clears `count` bytes. Programs for a board's older name expect it here; programs for the present name bring their own.
 *
 * A C program may still define it, static or not, and then uses its own definition. */
#if defined(__cplusplus)
static inline void memzero(void *start, unsigned long count)
{
    __builtin_memset(start, 0, count);
}
#elif defined(__clang__)
/* Without a definition in the program, calls use the library's. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-internal"
static void memzero(void *start, unsigned long count) __attribute__((unused));
#pragma clang diagnostic pop
#else
/* The attribute allows another definition to follow. */
extern inline __attribute__((gnu_inline, always_inline)) void memzero(void *start, unsigned long count)
{
    __builtin_memset(start, 0, count);
}
#endif
#endif

/* Returns the pointer to a capability that <cspace> put into a root slot, or 0 if <cspace> cannot name the slot. */
static inline seL4_CPtr microkit_cspace_root_slot_to_cptr(seL4_Word slot)
{
    if (slot == 0 || slot >= PD_ROOT_CAP_SIZE) {
        return seL4_CapNull;
    }
    return slot << (seL4_WordBits - PD_ROOT_CAP_BITS);
}

#if defined(CONFIG_ALLOW_SMC_CALLS)
/* Calls the secure monitor if the description allows it (smc="true"). */
static inline void microkit_arm_smc_call(seL4_ARM_SMCContext *args, seL4_ARM_SMCContext *response)
{
    seL4_Error err = seL4_ARM_SMC_Call(ARM_SMC_CAP, args, response);
    if (err != seL4_NoError) {
        microkit_dbg_puts("microkit_arm_smc_call: error making SMC call\n");
        microkit_internal_crash(err);
    }
}
#endif

#if defined(CONFIG_ARCH_X86_64)
/* Reads and writes an I/O port by its address. A port outside the range stops the program. A range without a grant in the
 * description is reported, and reads return 0. */
#define LIMEN_DEFINE_PORT_ACCESS(bits)                                                                              \
    static inline seL4_Uint##bits microkit_x86_ioport_read_##bits(microkit_ioport id, seL4_Word addr)               \
    {                                                                                                               \
        if (!limen_is_granted(microkit_ioports, id)) {                                                              \
            limen_report_ioport("microkit_x86_ioport_read_" #bits, id);                                             \
            return 0;                                                                                               \
        }                                                                                                           \
        seL4_X86_IOPort_In##bits##_t answer =                                                                       \
            seL4_X86_IOPort_In##bits(BASE_IOPORT_CAP + id, LIMEN_VALUE(seL4_Uint16, addr));                         \
        if (answer.error != seL4_NoError) {                                                                         \
            microkit_dbg_puts("microkit_x86_ioport_read_" #bits ": error reading data\n");                          \
            microkit_internal_crash(LIMEN_VALUE(seL4_Error, answer.error));                                         \
        }                                                                                                           \
        return answer.result;                                                                                       \
    }                                                                                                               \
    static inline void microkit_x86_ioport_write_##bits(microkit_ioport id, seL4_Word addr, seL4_Word data)         \
    {                                                                                                               \
        if (!limen_is_granted(microkit_ioports, id)) {                                                              \
            limen_report_ioport("microkit_x86_ioport_write_" #bits, id);                                            \
            return;                                                                                                 \
        }                                                                                                           \
        seL4_Error err = seL4_X86_IOPort_Out##bits(BASE_IOPORT_CAP + id, addr, data);                               \
        if (err != seL4_NoError) {                                                                                  \
            microkit_dbg_puts("microkit_x86_ioport_write_" #bits ": error writing data\n");                         \
            microkit_internal_crash(err);                                                                           \
        }                                                                                                           \
    }
LIMEN_DEFINE_PORT_ACCESS(8)
LIMEN_DEFINE_PORT_ACCESS(16)
LIMEN_DEFINE_PORT_ACCESS(32)
#undef LIMEN_DEFINE_PORT_ACCESS
#endif

#endif /* MICROKIT_H */
