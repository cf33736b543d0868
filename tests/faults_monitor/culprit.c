/* Does one thing that it must not, which one its name says. */

#include "crimes.h"

/* Set by the tool. */
seL4_Word record;

/* Where loaded words go, so that loads are not left out. */
static volatile seL4_Word sink;
static const volatile seL4_Word constant = 1;

/* The instruction that returns to the caller. */
#define RETURN 0xd65f03c0u

static seL4_Uint32 data_code[4] = { RETURN };

#define KERNEL_ADDRESS 0xffffff8000000000ul
#define FIRST_ADDRESS_ABOVE (seL4_UserVSpaceTop + 1)
#define NON_CANONICAL 0x0123000000200000ul
#define INTERRUPT_CONTROLLER 0x08000000ul
#define LOADER 0x70000000ul

static seL4_Word load(seL4_Word address)
{
    return *(volatile seL4_Word *)address;
}

static void store(seL4_Word address)
{
    *(volatile seL4_Word *)address = 0;
}

/* The address is hidden, so that compilers do not follow it. */
static void run(seL4_Word address)
{
    __asm__ volatile ("" : "+r"(address) : : "memory");
    ((void (*)(void))address)();
}

static void null_load(void)
{
    sink = load(0);
}

static void null_store(void)
{
    store(0);
}

static void null_call(void)
{
    run(0);
}

static void store_to_text(void)
{
    store((seL4_Word)&store_to_text & ~7ul);
}

static void store_to_constants(void)
{
    store((seL4_Word)&constant);
}

static void run_data(void)
{
    *(volatile seL4_Uint32 *)data_code = RETURN;
    run((seL4_Word)data_code);
}

static void run_stack(void)
{
    volatile seL4_Uint32 code[4] = { RETURN };
    run((seL4_Word)code);
    code[0] = 0;
}

static void run_message_buffer(void)
{
    seL4_SetMR(0, RETURN);
    run((seL4_Word)&seL4_GetIPCBuffer()->msg[0]);
}

static void overflow_stack(void)
{
    seL4_Word sp;
    __asm__ ("mov %0, sp" : "=r"(sp));
    /* Downwards word by word, so that the first fault is just below the stack. */
    for (seL4_Word address = sp & ~7ul; ; address -= 8) {
        sink = load(address);
    }
}

static void load_below_message_buffer(void)
{
    sink = load(LIMEN_IPC_BUFFER_ADDRESS - 8);
}

static void load_kernel(void)
{
    sink = load(KERNEL_ADDRESS);
}

static void store_kernel(void)
{
    store(KERNEL_ADDRESS + 0x200000);
}

static void run_kernel(void)
{
    run(KERNEL_ADDRESS);
}

static void load_above_top(void)
{
    sink = load(FIRST_ADDRESS_ABOVE);
}

static void load_non_canonical(void)
{
    sink = load(NON_CANONICAL);
}

static void run_non_canonical(void)
{
    run(NON_CANONICAL);
}

static void load_interrupt_controller(void)
{
    sink = load(INTERRUPT_CONTROLLER);
}

static void load_loader(void)
{
    sink = load(LOADER);
}

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

static void call_outside_table(void)
{
    seL4_Call(0x1000, seL4_MessageInfo_new(0, 0, 0, 0));
}

static void receive_from_nothing(void)
{
    seL4_Word badge;
    seL4_Recv(500, &badge, LIMEN_REPLY_CAP);
}

#define CRIME_NAME(name) #name,
static const char *const names[] = { FOR_EACH_CRIME(CRIME_NAME) };

#define CRIME_FUNCTION(name) name,
static void (*const functions[])(void) = { FOR_EACH_CRIME(CRIME_FUNCTION) };

static int is_this_program(const char *name)
{
    int i = 0;
    while (name[i] && name[i] == microkit_name[i]) {
        i++;
    }
    return name[i] == microkit_name[i];
}

static enum crime own_crime(void)
{
    int crime = 0;
    while (!is_this_program(names[crime])) {
        crime++;
    }
    return (enum crime)crime;
}

void init(void)
{
    struct record *shared = (struct record *)record;
    enum crime crime = own_crime();
    shared->started[crime] = 1;
    functions[crime]();
    shared->survived[crime] = 1;
}

void notified(microkit_channel ch)
{
    (void)ch;
    ((struct record *)record)->notified[own_crime()] = 1;
}
