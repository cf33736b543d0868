/* Commits one crime, selected by its name. */

#include "code.h"
#include "crimes.h"
#include "instructions.h"
#include "machine.h"

/* Set by the tool. */
seL4_Word record;

/* Destination of loaded words, so that the compiler keeps the loads. */
static volatile seL4_Word sink;
static const volatile seL4_Word constant = 1;

static seL4_Uint32 data_code[4] = { INSTRUCTION_RETURN };

/* The start of the kernel: boot code, which is unmapped after boot. */
#define BOOT_ADDRESS 0xffffffff80000000ul
/* Code or constants that stay, whatever the configuration. */
#define KERNEL_ADDRESS 0xffffffff80030000ul
/* As in the description. */
#define TABLE_ADDRESS 0x3100000ul
#define FIRST_ADDRESS_ABOVE (seL4_UserVSpaceTop + 1)
#define NON_CANONICAL 0x0123000000200000ul

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
    *(volatile seL4_Uint32 *)data_code = INSTRUCTION_RETURN;
    run((seL4_Word)data_code);
}

static void run_stack(void)
{
    volatile seL4_Uint32 code[4] = { INSTRUCTION_RETURN };
    run((seL4_Word)code);
    code[0] = 0;
}

static void run_message_buffer(void)
{
    seL4_SetMR(0, INSTRUCTION_RETURN);
    run((seL4_Word)&seL4_GetIPCBuffer()->msg[0]);
}

static void overflow_stack(void)
{
    seL4_Word sp;
    __asm__ (READ_STACK_POINTER : "=r"(sp));
    /* Write downwards word by word, so that the first fault is just below the stack. */
    for (seL4_Word address = sp & ~7ul; ; address -= 8) {
        sink = load(address);
    }
}

static void load_below_message_buffer(void)
{
    sink = load(LIMEN_IPC_BUFFER_ADDRESS - 8);
}

static void load_boot(void)
{
    sink = load(BOOT_ADDRESS);
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

#include "forbidden.h"

static void call_outside_table(void)
{
    seL4_Call(0x1000, seL4_MessageInfo_new(0, 0, 0, 0));
}

static void receive_from_nothing(void)
{
    seL4_Word badge;
    seL4_Recv(500, &badge, LIMEN_REPLY_CAP);
}

static void store_beyond_region(void)
{
    store(record + 0x1000);
}

static void load_before_region(void)
{
    sink = load(record - 8);
}

static void store_to_read_only_region(void)
{
    store(TABLE_ADDRESS + 0x10);
}

static void run_region(void)
{
    run(record + 0x800);
}

/* Not a loop for the compiler: each call uses the result of the next one. */
static __attribute__((noinline)) seL4_Word depth_below(volatile seL4_Word *above)
{
    volatile seL4_Word here[8] = { above[0] + 1 };
    return here[0] ? depth_below(here) + here[0] : 0;
}

static void recurse(void)
{
    volatile seL4_Word start[1] = { 0 };
    sink = depth_below(start);
}

/* Begins to use its frame far below the guard page. */
static __attribute__((noinline)) seL4_Word fill(seL4_Word value)
{
    volatile char frame[0x8000];
    /* The compiler must not split the array. */
    __asm__ volatile ("" : : "r"(frame) : "memory");
    frame[value] = 1;
    return (seL4_Word)frame[value];
}

static void large_frame(void)
{
    sink = fill(1);
}

static void stop_child_after_the_last(void)
{
    microkit_pd_stop(MICROKIT_MAX_CHANNEL_ID + 1);
}

/* In 32 bits the slot of this child would be that of a notification. */
static void stop_child_that_wraps(void)
{
    microkit_pd_stop((microkit_child)BASE_OUTPUT_NOTIFICATION_CAP - BASE_TCB_CAP);
}

static void resume_child_without_slot(void)
{
    microkit_pd_resume(1000);
}

static void restart_child_that_is_none(void)
{
    microkit_pd_restart(0, 0x200000);
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
