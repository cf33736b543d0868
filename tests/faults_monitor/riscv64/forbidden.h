/* Instructions that a program must not execute; included by every culprit.
 *
 * Every even address can hold an instruction, so an odd program counter is one behind which there is none. Instructions of
 * extensions that assemblers may not know are given as numbers. */

__asm__ (".text\n\t.balign 4\nodd_place:\t.4byte 1");
extern char odd_place[];

static void odd_program_counter(void)
{
    run((seL4_Word)odd_place + 2);
}

static void odd_exclusive_load(void)
{
    seL4_Word address = (seL4_Word)&sink + 1;
    __asm__ volatile ("lr.d t0, (%0)" : : "r"(address) : "t0", "memory");
}

static void undefined_instruction(void)
{
    __asm__ volatile ("unimp");
}

static void breakpoint(void)
{
    __asm__ volatile ("ebreak");
}

static void unknown_system_call(void)
{
    __asm__ volatile ("li a7, -1000\n\tecall" : : : "a7", "memory");
}

/* fmv.d.x fa0, zero: the compiler's flags forbid it. */
static void use_floating_point(void)
{
    __asm__ volatile (".4byte 0xf2000553");
}
