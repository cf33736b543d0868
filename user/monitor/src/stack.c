/* The pointers on a program's stack to its code and to the stack itself, among them every return address. The tool finds
 * the callers from them: docs/debugging.md describes the lines. */

#include "monitor.h"

/* By index of the protection domain; filled in by the tool, which maps the stacks for reading in this configuration. */
__attribute__((section(".data"), used)) struct stack_view {
    /* Address of the stack's lowest byte here. */
    seL4_Word view;
    /* The program's code. */
    seL4_Word code_start;
    seL4_Word code_end;
} pd_stack_views[LIMEN_MAX_THREADS];

/* A stack that overflows by recursion is full of return addresses. */
#define MOST_WORDS 96
#define WORDS_PER_LINE 4
/* The highest address of a stack: one guard page below the IPC buffer. */
#define STACK_END (LIMEN_IPC_BUFFER_ADDRESS - (1ul << seL4_PageBits))

static void begin_line(seL4_Word index)
{
    print_number("LIMEN|STACK program=", index, 10);
}

static void print_words(seL4_Word index, seL4_Word bottom, seL4_Word sp)
{
    const struct stack_view *stack = &pd_stack_views[index];
    seL4_Word count = 0;
    /* A frame that does not fit leaves the stack pointer below the stack. */
    seL4_Word first = sp < bottom ? bottom : (sp + 7) & ~7ul;
    for (seL4_Word address = first; address < STACK_END && count < MOST_WORDS; address += 8) {
        seL4_Word word = *(const seL4_Word *)(stack->view + (address - bottom));
        seL4_Bool is_code = word - stack->code_start < stack->code_end - stack->code_start;
        seL4_Bool is_stack = word - bottom <= STACK_END - bottom;
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
        print_number(" fp=0x", registers[LIMEN_FRAME_POINTER], 16);
        microkit_dbg_puts("\n");
        print_words(index, pd_stack_bottom_addrs[index], registers[LIMEN_STACK_POINTER]);
        begin_line(index);
    }
    microkit_dbg_puts(" end\n");
}
