/* Instructions that a program must not execute. Part of every culprit.
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

static void write_system_control(void)
{
    __asm__ volatile ("csrw sstatus, zero");
}

static void read_vector_base(void)
{
    __asm__ volatile ("csrr t0, stvec" : : : "t0");
}

static void write_translation_base(void)
{
    __asm__ volatile ("csrw satp, zero");
}

static void mask_interrupts(void)
{
    __asm__ volatile ("csrci sstatus, 2");
}

static void return_from_exception(void)
{
    __asm__ volatile ("sret");
}

/* hfence.vvma */
static void hypervisor_call(void)
{
    __asm__ volatile (".4byte 0x22000073");
}

/* The return from machine mode, which is the one below the kernel. */
static void secure_monitor_call(void)
{
    __asm__ volatile ("mret");
}

static void invalidate_tlb(void)
{
    __asm__ volatile ("sfence.vma");
}

/* cbo.inval (a0) */
static void clean_cache_by_set(void)
{
    __asm__ volatile (".4byte 0x0005200f");
}

/* hlvx.wu t0, (ra), a load through the tables of a guest */
static void translate_address(void)
{
    __asm__ volatile (".4byte 0x6830c2f3" : : : "t0");
}

/* The description does not grant the counter. */
static void read_cycle_counter(void)
{
    __asm__ volatile ("rdcycle t0" : : : "t0");
}

static void write_cycle_control(void)
{
    __asm__ volatile ("csrw scounteren, zero");
}

/* stimecmp */
static void write_kernel_timer(void)
{
    __asm__ volatile ("csrw 0x14d, zero");
}

static void read_kernel_timer(void)
{
    __asm__ volatile ("csrr t0, 0x14d" : : : "t0");
}

static void unknown_system_call(void)
{
    __asm__ volatile ("li a7, -1000\n\tecall" : : : "a7", "memory");
}
