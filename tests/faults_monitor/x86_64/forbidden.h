/* Instructions that a program must not execute. Part of every culprit.
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

static void write_system_control(void)
{
    __asm__ volatile ("movq %%rax, %%cr0" : : "a"(0ul) : "memory");
}

/* The address of the entry point of system calls. */
static void read_vector_base(void)
{
    __asm__ volatile ("rdmsr" : : "c"(0xc0000082u) : "rax", "rdx");
}

static void write_translation_base(void)
{
    __asm__ volatile ("movq %%rax, %%cr3" : : "a"(0ul) : "memory");
}

static void mask_interrupts(void)
{
    __asm__ volatile ("cli");
}

static void return_from_exception(void)
{
    __asm__ volatile ("sysretq" : : "c"(0x200000ul) : "r11", "memory");
}

static void hypervisor_call(void)
{
    __asm__ volatile (".byte 0x0f, 0x01, 0xd9");
}

/* The return from system management mode, which is the one below the kernel. */
static void secure_monitor_call(void)
{
    __asm__ volatile ("rsm");
}

static void invalidate_tlb(void)
{
    __asm__ volatile ("invlpg (%0)" : : "r"(&sink) : "memory");
}

static void clean_cache_by_set(void)
{
    __asm__ volatile ("wbinvd" : : : "memory");
}

/* The tables of segments belong to the kernel. */
static void translate_address(void)
{
    static seL4_Word table[2];
    __asm__ volatile ("lgdt %0" : : "m"(table) : "memory");
}

/* The time-stamp counter may be read; the counters of events may not. */
static void read_cycle_counter(void)
{
    __asm__ volatile ("rdpmc" : : "c"(0) : "rax", "rdx");
}

static void write_cycle_control(void)
{
    __asm__ volatile ("wrmsr" : : "c"(0x10u), "a"(0), "d"(0));
}

static void write_kernel_timer(void)
{
    __asm__ volatile ("outb %%al, $0x43" : : "a"(0));
}

static void read_kernel_timer(void)
{
    __asm__ volatile ("inb $0x40, %%al" : : : "rax");
}

static void unknown_system_call(void)
{
    __asm__ volatile ("syscall" : : "d"(-1000l) : "rcx", "r11", "memory");
}
