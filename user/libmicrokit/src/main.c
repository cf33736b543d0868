/* The main function of a protection domain: constructors, init, then the event loop.
 *
 *            +--> notification ---> notified() for each bit --+
 *   receive -+--> protected call -> protected() -> answer and receive in one system call -> ...
 *      ^     +--> child's fault --> fault() -> true: the same;  false: --+
 *      +------------------------------------------------------------------+
 *
 * Between two receives a message stays in registers; its words go to the IPC buffer only for the entry points that
 * read them. Every benchmark of a crossing runs through this file: look at the disassembly after a change. */

#include "event_loop.h"

typedef void (*constructor_t)(void);
extern constructor_t __init_array_start[];
extern constructor_t __init_array_end[];

seL4_Bool microkit_have_signal = seL4_False;
seL4_MessageInfo_t microkit_signal_msg;

/* Linked only into programs that name it, which are those that defer signals (deferred.c). */
#pragma weak microkit_signal_cap

/* The address of the flag of a pending signal, or null if the program never defers one. The value is hidden, so that it stays
 * in a register: a loop without deferred signals then touches no page of variables. */
LIMEN_INLINE seL4_Bool *pending_flag(void)
{
    seL4_Bool *flag = &microkit_signal_cap ? &microkit_have_signal : 0;
    __asm__ ("" : "+r"(flag));
    return flag;
}

LIMEN_INLINE int is_pending(const seL4_Bool *flag)
{
    return __builtin_expect(flag != 0, 0) && *flag;
}

static void run_constructors(void)
{
    for (constructor_t *constructor = __init_array_start; constructor < __init_array_end; constructor++) {
        (*constructor)();
    }
}

/* Sends the pending signal alone. A pending reply passes through, so that it stays in its register if no signal is
 * pending. The value is hidden, because compilers see that it is returned unchanged. */
static __attribute__((noinline, cold)) microkit_msginfo send_signal(microkit_msginfo answer)
{
    microkit_have_signal = seL4_False;
    seL4_Send(microkit_signal_cap, microkit_signal_msg);
    __asm__ ("" : "+r"(answer.words[0]));
    return answer;
}

/* Tells the monitor that init is complete, so that it binds the scheduling context to the notification. Blocks, because the
 * monitor of another processor may not have started yet, and would miss a message that does not wait. */
static void become_passive(void)
{
    microkit_msginfo empty = seL4_MessageInfo_new(0, 0, 0, 0);
    if (microkit_have_signal) {
        send_signal(empty);
    }
    seL4_Send(MONITOR_EP, empty);
}

/* Unmasks interrupts that arrived before the program could handle them. */
static void acknowledge_interrupts(void)
{
    for (seL4_Word waiting = microkit_irqs; waiting; waiting &= waiting - 1) {
        seL4_IRQHandler_Ack(BASE_IRQ_CAP + (seL4_Word)__builtin_ctzl(waiting));
    }
}

LIMEN_INLINE limen_received_t receive(seL4_IPCBuffer *buffer, const seL4_Bool *flag)
{
    if (is_pending(flag)) {
        microkit_have_signal = seL4_False;
        return limen_trap_nb_send_recv(microkit_signal_cap, LIMEN_INPUT_CAP, microkit_signal_msg,
                                       limen_load_words(buffer), LIMEN_REPLY_CAP);
    }
    return limen_trap_receive(seL4_SysRecv, LIMEN_INPUT_CAP, LIMEN_REPLY_CAP);
}

/* Whether a message has no words, if that is worth a test. */
LIMEN_INLINE int skips(microkit_msginfo message)
{
    return LIMEN_SKIPS_EMPTY_MESSAGES && seL4_MessageInfo_get_length(message) == 0;
}

/* Puts a received message where its entry point reads it. */
LIMEN_INLINE void store_message(seL4_IPCBuffer *buffer, limen_received_t event)
{
    if (!skips(event.info)) {
        limen_store_words(buffer, event.words);
    }
}

LIMEN_INLINE limen_received_t answer_and_receive(seL4_IPCBuffer *buffer, const seL4_Bool *flag,
                                                 microkit_msginfo answer)
{
    if (is_pending(flag)) {
        answer = send_signal(answer);
    }
    if (skips(answer)) {
        return limen_trap_send_empty_receive(seL4_SysReplyRecv, LIMEN_INPUT_CAP, answer, LIMEN_REPLY_CAP);
    }
    return limen_trap_send_receive(seL4_SysReplyRecv, LIMEN_INPUT_CAP, answer, limen_load_words(buffer),
                                   LIMEN_REPLY_CAP);
}

#if defined(__riscv) && !defined(__riscv_zbb)
/* The place of the lowest set bit, of words with at least one. Without an instruction for it, compilers count the bits below,
 * which takes twice as many instructions: any six neighbouring bits of a de Bruijn sequence occur once in it. */
LIMEN_INLINE microkit_channel lowest_bit(seL4_Word word)
{
    static const seL4_Uint8 places[64] __attribute__((aligned(64))) = {
        0,  1,  2,  7,  3,  13, 8,  19, 4,  25, 14, 28, 9,  34, 20, 40, 5,  17, 26, 38, 15, 46,
        29, 48, 10, 31, 35, 54, 21, 50, 41, 57, 63, 6,  12, 18, 24, 27, 33, 39, 16, 37, 45, 47,
        30, 53, 49, 56, 62, 11, 23, 32, 36, 44, 52, 55, 61, 22, 43, 51, 60, 42, 59, 58,
    };
    return places[((word & -word) * 0x0218a392cd3d5dbfull) >> 58];
}
#else
LIMEN_INLINE microkit_channel lowest_bit(seL4_Word word)
{
    return (microkit_channel)__builtin_ctzl(word);
}
#endif

/* Calls notified() for the lowest channel and returns the others. */
LIMEN_INLINE seL4_Word notify_lowest(seL4_Word channels)
{
    seL4_Word others = channels & (channels - 1);
    notified(lowest_bit(channels));
    return others;
}

/* A notification's badge has at least one bit. The first is handled outside the loop, so that no part of the badge stays
 * live in the common case of a single bit. */
LIMEN_INLINE void handle_notification(seL4_Word badge)
{
    seL4_Word channels = notify_lowest(badge);
    while (__builtin_expect(channels != 0, 0)) {
        channels = notify_lowest(channels);
    }
}

LIMEN_INLINE microkit_msginfo handle_call(seL4_IPCBuffer *buffer, limen_received_t event)
{
    store_message(buffer, event);
    return protected(event.badge & LIMEN_BADGE_CHANNEL_MASK, event.info);
}

/* Whether there is an answer. It is copied, so that the loop's own answer has no address and stays in a register. */
LIMEN_INLINE seL4_Bool handle_fault(seL4_IPCBuffer *buffer, limen_received_t event, microkit_msginfo *answer)
{
    microkit_msginfo copy = seL4_MessageInfo_new(0, 0, 0, 0);
    limen_store_words(buffer, event.words);
    seL4_Bool has_answer = fault(event.badge & LIMEN_BADGE_CHILD_MASK, event.info, &copy);
    *answer = copy;
    return has_answer;
}

/* Handles messages until one has no answer. */
LIMEN_INLINE void handle(seL4_IPCBuffer *buffer, const seL4_Bool *flag, limen_received_t event)
{
    for (;;) {
        microkit_msginfo answer;
        if (__builtin_expect((event.badge & LIMEN_BADGE_PROTECTED_CALL) != 0, 1)) {
            answer = handle_call(buffer, event);
        } else if (__builtin_expect(!(event.badge & LIMEN_BADGE_CHILD_FAULT), 1)) {
            handle_notification(event.badge);
            return;
        } else if (!handle_fault(buffer, event, &answer)) {
            return;
        }
        event = answer_and_receive(buffer, flag, answer);
    }
}

/* The linker script places it first, so that the loop and the entry points of a small program are in one page. */
__attribute__((section(".text.limen_event_loop"))) int main(void)
{
    /* A signal that the life before a restart has deferred is not one of this life. */
    microkit_have_signal = seL4_False;
    run_constructors();
    init();
    if (microkit_passive) {
        become_passive();
    }
    acknowledge_interrupts();
    seL4_IPCBuffer *buffer = seL4_GetIPCBuffer();
    const seL4_Bool *flag = pending_flag();
    for (;;) {
        handle(buffer, flag, receive(buffer, flag));
    }
}
