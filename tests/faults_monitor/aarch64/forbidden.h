/* Instructions that a program must not execute. Part of every culprit. */

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

static void write_system_control(void)
{
    __asm__ volatile ("msr sctlr_el1, xzr");
}

static void read_vector_base(void)
{
    __asm__ volatile ("mrs x9, vbar_el1" : : : "x9");
}

static void write_translation_base(void)
{
    __asm__ volatile ("msr ttbr0_el1, xzr");
}

static void mask_interrupts(void)
{
    __asm__ volatile ("msr daifset, #15");
}

static void return_from_exception(void)
{
    __asm__ volatile ("eret");
}

static void hypervisor_call(void)
{
    __asm__ volatile ("hvc #0");
}

static void secure_monitor_call(void)
{
    __asm__ volatile ("smc #0");
}

static void invalidate_tlb(void)
{
    __asm__ volatile ("tlbi vmalle1");
}

static void clean_cache_by_set(void)
{
    __asm__ volatile ("dc cisw, xzr");
}

static void translate_address(void)
{
    __asm__ volatile ("at s1e1r, xzr");
}

/* The description does not grant the counter. */
static void read_cycle_counter(void)
{
    __asm__ volatile ("mrs x9, pmccntr_el0" : : : "x9");
}

static void write_cycle_control(void)
{
    __asm__ volatile ("msr pmcr_el0, xzr");
}

static void write_kernel_timer(void)
{
    __asm__ volatile ("msr cntv_ctl_el0, xzr");
}

static void read_kernel_timer(void)
{
    __asm__ volatile ("mrs x9, cntv_cval_el0" : : : "x9");
}

static void unknown_system_call(void)
{
    __asm__ volatile ("mov x7, #-1000\n\tsvc #0" : : : "x7", "memory");
}
