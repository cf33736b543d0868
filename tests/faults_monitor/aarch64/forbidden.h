/* Instructions that a program must not execute; included by every culprit. */

static void odd_program_counter(void)
{
    run((seL4_Word)&odd_program_counter + 2);
}

static void odd_exclusive_load(void)
{
    seL4_Word address = (seL4_Word)&sink + 1;
    __asm__ volatile ("ldxr x9, [%0]" : : "r"(address) : "x9", "memory");
}

static void undefined_instruction(void)
{
    __asm__ volatile ("udf #0");
}

static void breakpoint(void)
{
    __asm__ volatile ("brk #7");
}

static void unknown_system_call(void)
{
    __asm__ volatile ("mov x7, #-1000\n\tsvc #0" : : : "x7", "memory");
}

/* fmov d0, xzr: the compiler's flags forbid it. */
static void use_floating_point(void)
{
    __asm__ volatile (".word 0x9e6703e0");
}
