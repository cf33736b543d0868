/* Runs tests and counts them: test.h. */

#include <stdlib.h>
#include "test.h"

char test_controller[LIBMICROKITCO_CONTROLLER_SIZE];
char test_console[256];

static char *stacks;
static char reason[256];
static char list[256];
static int passed;
static int failed;
static limen_co_context_t before_fault;
static unsigned long fault_address;

void test_check(int holds, const char *what, int line)
{
    if (!holds && !reason[0]) {
        snprintf(reason, sizeof(reason), "line %d: not true: %s", line, what);
    }
}

void test_check_equal(unsigned long got, unsigned long wanted, const char *what, int line)
{
    if (got != wanted && !reason[0]) {
        snprintf(reason, sizeof(reason), "line %d: %s is %#lx, not %#lx", line, what, got, wanted);
    }
}

void mark(char what)
{
    size_t length = strlen(list);
    if (length + 1 < sizeof(list)) {
        list[length] = what;
        list[length + 1] = '\0';
    }
}

const char *marks(void)
{
    return list;
}

/* Every second one stays unused, as a gap between two stacks. */
uintptr_t test_stack(size_t index)
{
    return (uintptr_t)stacks + 2 * index * STACK_BYTES;
}

static void allocate_stacks(void)
{
    free(stacks);
    stacks = aligned_alloc(LIMEN_CO_ALIGNMENT, 2 * STACK_BYTES * LIMEN_CO_COTHREADS);
    if (!stacks) {
        abort();
    }
}

void test_start(void)
{
    static uintptr_t addresses[LIMEN_CO_COTHREADS];
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        addresses[i] = test_stack(i);
    }
    CHECK_EQUAL(limen_cothread_init((uintptr_t)test_controller, STACK_BYTES, addresses, LIMEN_CO_AGREED), co_no_err);
}

/* The faulting thread never runs again. */
static void note_fault(seL4_Error address)
{
    static limen_co_context_t faulted;
    fault_address = address;
    limen_co_switch(&faulted, &before_fault);
}

static void (*faulting)(void);

static void call_faulting(void)
{
    faulting();
    limen_host_set_crash(NULL);
    static limen_co_context_t finished;
    limen_co_switch(&finished, &before_fault);
}

unsigned long fault_of(void (*function)(void))
{
    enum { BYTES = 0x40000 };
    static char *stack;
    limen_co_context_t context;
    free(stack);
    stack = aligned_alloc(LIMEN_CO_ALIGNMENT, BYTES);
    fault_address = 0;
    faulting = function;
    limen_host_set_console(test_console, sizeof(test_console));
    limen_host_set_crash(note_fault);
    limen_co_prepare(&context, (uintptr_t)stack, BYTES, call_faulting);
    limen_co_switch(&before_fault, &context);
    limen_host_set_console(NULL, 0);
    return fault_address;
}

void test_run(const char *name, void (*test)(void))
{
    reason[0] = '\0';
    list[0] = '\0';
    limen_host_reset();
    allocate_stacks();
    test();
    if (reason[0]) {
        failed++;
        printf("TEST %s FAIL %s\n", name, reason);
    } else {
        passed++;
        printf("TEST %s PASS\n", name);
    }
}

int test_end(const char *suite)
{
    printf("SUITE %s %d passed, %d failed\n", suite, passed, failed);
    return failed != 0;
}
