/* Instructions that a program must not execute; included by every culprit.
 *
 * Every address can hold an instruction, so an odd program counter is one behind which there is none. */

__asm__ (".text\n\t.balign 4\nodd_place:\tnop\n\tud2");
extern char odd_place[];

static void odd_program_counter(void)
{
    run((seL4_Word)odd_place + 1);
}

/* Sixteen bytes at once must be aligned. */
static void odd_exclusive_load(void)
{
    static seL4_Word words[4] __attribute__((aligned(16)));
    __asm__ volatile ("lock cmpxchg16b %0" : "+m"(*(__int128 *)((seL4_Word)words + 8))
                      : : "rax", "rbx", "rcx", "rdx", "memory");
}

static void undefined_instruction(void)
{
    __asm__ volatile ("ud2");
}

static void breakpoint(void)
{
    __asm__ volatile ("int3");
}

static void unknown_system_call(void)
{
    __asm__ volatile ("syscall" : : "d"(-1000l) : "rcx", "r11", "memory");
}

/* pxor %xmm0, %xmm0: the compiler's flags forbid it. */
static void use_floating_point(void)
{
    __asm__ volatile (".byte 0x66, 0x0f, 0xef, 0xc0");
}
