/* The pointers on a program's stack to its code and to the stack itself, among them every return address. The tool finds
 * the callers from them: docs/debugging.md describes the lines. */

#include "monitor.h"

/* Memory of a program, mapped here for reading; ascending by program and address. Filled in by the tool. */
struct view {
    seL4_Word program;
    /* Addresses in the program. */
    seL4_Word start;
    seL4_Word end;
    /* Address of `start` here. */
    seL4_Word here;
    /* The program's code. */
    seL4_Word code_start;
    seL4_Word code_end;
};
__attribute__((section(".data"), used)) struct view stack_views[LIMEN_MONITOR_VIEWS];

/* A stack that overflows by recursion is full of return addresses. */
#define MOST_WORDS 96
#define WORDS_PER_LINE 4
/* Limits the frame that does not fit, and the time at the highest priority: the program chooses its stack pointer. */
#define MOST_BYTES 0x100000

static void begin_line(seL4_Word index)
{
    print_number("LIMEN|STACK program=", index, 10);
}

/* A frame that does not fit leaves the stack pointer below the stack. */
static const struct view *view_at(seL4_Word index, seL4_Word sp)
{
    for (seL4_Word i = 0; i < LIMEN_MONITOR_VIEWS; i++) {
        const struct view *view = &stack_views[i];
        if (view->program == index && sp < view->end) {
            return sp + MOST_BYTES > view->start ? view : 0;
        }
    }
    return 0;
}

static void print_words(seL4_Word index, seL4_Word sp)
{
    const struct view *stack = view_at(index, sp);
    if (!stack) {
        return;
    }
    seL4_Word count = 0;
    seL4_Word first = sp < stack->start ? stack->start : (sp + 7) & ~7ul;
    seL4_Word end = stack->end - first < MOST_BYTES ? stack->end : first + MOST_BYTES;
    for (seL4_Word address = first; address < end && count < MOST_WORDS; address += 8) {
        seL4_Word word = *(const seL4_Word *)(stack->here + (address - stack->start));
        seL4_Bool is_code = word - stack->code_start < stack->code_end - stack->code_start;
        seL4_Bool is_stack = word - stack->start <= stack->end - stack->start;
        if (!is_code && !is_stack) {
            continue;
        }
        if (count % WORDS_PER_LINE == 0) {
            begin_line(index);
        }
        print_number(" 0x", address, 16);
        print_number(":0x", word, 16);
        if (++count % WORDS_PER_LINE == 0) {
            microkit_dbg_puts("\n");
        }
    }
    if (count % WORDS_PER_LINE != 0) {
        microkit_dbg_puts("\n");
    }
}

void report_stack(seL4_Word index)
{
    seL4_Word registers[LIMEN_CONTEXT_WORDS];
    seL4_TCB tcb = LIMEN_MONITOR_BASE_TCB + index;
    begin_line(index);
    if (seL4_TCB_ReadRegisters(tcb, seL4_False, 0, LIMEN_CONTEXT_WORDS, (seL4_UserContext *)registers) == seL4_NoError) {
        print_number(" pc=0x", registers[LIMEN_PROGRAM_COUNTER], 16);
        print_number(" fp=0x", registers[LIMEN_FRAME_POINTER], 16);
        microkit_dbg_puts("\n");
        print_words(index, registers[LIMEN_STACK_POINTER]);
        begin_line(index);
    }
    microkit_dbg_puts(" end\n");
}

void report_stacks(seL4_Word badge)
{
    for (seL4_Word index = 0; index < LIMEN_MAX_THREADS - 1; index++) {
        if (badge >> index & 1) {
            report_stack(index);
        }
    }
}
