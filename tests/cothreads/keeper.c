/* The parent of two programs in which a cothread faults. It maps their controllers, so it can name the cothread. */

#include <libmicrokitco.h>
#include "test.h"

/* Children, and the channels to them. */
#define WRITER 1
#define DIGGER 2

/* Set by the tool. */
uintptr_t writer_controller;
uintptr_t digger_controller;

static seL4_Word stack_pointer;
static seL4_Word address;

static bool same(const char *left, const char *right)
{
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

static void the_stack_pointer_tells_the_cothread(void)
{
    CHECK_EQUAL(address, 0x10);
    CHECK_EQUAL(limen_cothread_of_address((const void *)writer_controller, stack_pointer), 2);
    CHECK(same(limen_cothread_name_at((const void *)writer_controller, stack_pointer), "writer"));
}

static void an_overflow_ends_at_its_own_address(void)
{
    CHECK_EQUAL(address, co_err_stack_overflow);
    CHECK(same(limen_cothread_name_at((const void *)digger_controller, stack_pointer), "digger"));
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    microkit_notify(WRITER);
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply)
{
    seL4_UserContext registers;
    (void)msginfo;
    (void)reply;
    address = microkit_mr_get(seL4_VMFault_Addr);
    seL4_TCB_ReadRegisters(BASE_TCB_CAP + child, seL4_False, 0, sizeof(registers) / sizeof(seL4_Word), &registers);
    stack_pointer = ((const seL4_Word *)&registers)[LIMEN_STACK_POINTER];
    if (child == WRITER) {
        RUN(the_stack_pointer_tells_the_cothread);
        microkit_notify(DIGGER);
    } else {
        RUN(an_overflow_ends_at_its_own_address);
        suite_end();
    }
    return seL4_False;
}
