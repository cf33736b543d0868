/* Records what it finds when it starts, and ends as it is ordered to. */

#include "edge.h"
#include "life.h"
#include "instructions.h"
#include "registers.h"

#define STARTED 0
#define DEFERRED 1
#define INTERRUPT 5
#define COPIED 8

seL4_Word life;

/* The frame pointer, the link register, and the condition flags. */
volatile seL4_Word entered[3];

static volatile seL4_Word *volatile nowhere;

static __attribute__((noinline)) seL4_Word follow_second(void)
{
    return *nowhere + 1;
}

static __attribute__((noinline)) seL4_Word follow_first(void)
{
    return follow_second() + 1;
}

static seL4_Word count_copies(void)
{
    static const unsigned char from[2 * COPIED] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    unsigned char to[2 * COPIED] = { 0 };
    seL4_Word right = 0;
    copy(to + COPIED, from + COPIED, COPIED);
    for (int i = COPIED; i < 2 * COPIED; i++) {
        right += to[i] == i;
    }
    return right;
}

void init(void)
{
    struct life *found = (struct life *)life;
    _Alignas(16) unsigned char vector[16];
    seL4_Word stack_pointer;
    found->flags = read_flags() & FLAGS_MASK;
    found->frame_pointer = entered[0];
    found->caller = entered[1];
    found->conditions = entered[2];
    __asm__ volatile (READ_STACK_POINTER : "=r"(stack_pointer));
    found->stack_pointer = stack_pointer;
    found->control = read_control();
    found->value = read_value();
    store_aligned(vector);
    found->message_word = microkit_mr_get(MESSAGE_WORD);
    found->copies = count_copies();
    found->count++;
    edge_start();
    edge_clear();
    microkit_notify(STARTED);
}

static inline __attribute__((always_inline)) void obey(struct life *told)
{
    switch (told->end) {
    case END_DEEP:
        told->value = follow_first() + 1;
        break;
    case END_SPOILT:
        spoil_flags_and_stack();
        break;
    case END_FLOATING:
        microkit_mr_set(MESSAGE_WORD, SPOILT_WORD);
        spoil_floating(SPOILT_WORD);
        __builtin_trap();
    case END_DEFERRED:
        microkit_deferred_notify(DEFERRED);
        __builtin_trap();
    case END_INTERRUPTED:
        edge_raise();
        __builtin_trap();
    case END_HANDLING:
    case END_NOT_INTERRUPTED:
        edge_raise();
        break;
    default:
        microkit_notify(STARTED);
    }
}

static void handle_interrupt(struct life *told)
{
    if (told->end == END_HANDLING) {
        __builtin_trap();
    }
    edge_clear();
    microkit_irq_ack(INTERRUPT);
    told->interrupts++;
    microkit_notify(STARTED);
}

void notified(microkit_channel ch)
{
    struct life *told = (struct life *)life;
    if (ch == INTERRUPT) {
        handle_interrupt(told);
    } else if (ch == STARTED) {
        obey(told);
    } else {
        told->signals++;
        microkit_notify(ch);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    if (((struct life *)life)->end == END_SERVING) {
        __builtin_trap();
    }
    return msginfo;
}
