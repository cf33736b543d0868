/* Controls two workers through capabilities in root slots. */

#include "journal.h"
#include "test.h"

/* Set by the tool. */
seL4_Word journal, buffer, buffer_to_read;

#define LOW_CHANNEL 0
#define HIGH_CHANNEL 1
#define LOW_PRIORITY 50
#define HIGH_PRIORITY 60
#define OWN_PRIORITY 100

static seL4_CPtr low_thread, high_thread, own_thread, low_time, own_space, low_again;

/* Signals both workers and waits until both have answered. */
static void let_both_work(void)
{
    seL4_Word answered = 0;
    journal_clear();
    microkit_notify(LOW_CHANNEL);
    microkit_notify(HIGH_CHANNEL);
    while (answered != (1 << LOW_CHANNEL | 1 << HIGH_CHANNEL)) {
        answered |= wait_for_signals();
    }
}

static void slots_outside_have_no_pointer(void)
{
    CHECK_EQUAL(microkit_cspace_root_slot_to_cptr(0), 0);
    CHECK_EQUAL(microkit_cspace_root_slot_to_cptr(64), 0);
    CHECK_EQUAL(microkit_cspace_root_slot_to_cptr(1), 1ul << 58);
}

static void empty_slots_hold_nothing(void)
{
    CHECK_EQUAL(seL4_TCB_Suspend(microkit_cspace_root_slot_to_cptr(6)), seL4_InvalidCapability);
    CHECK_EQUAL(seL4_TCB_Suspend(microkit_cspace_root_slot_to_cptr(62)), seL4_InvalidCapability);
}

static void workers_run_in_the_order_of_their_priorities(void)
{
    let_both_work();
    CHECK_JOURNAL('h', 'l');
    CHECK_EQUAL(seL4_TCB_SetPriority(low_thread, own_thread, OWN_PRIORITY - 1), seL4_NoError);
    let_both_work();
    CHECK_JOURNAL('l', 'h');
    CHECK_EQUAL(seL4_TCB_SetPriority(low_thread, own_thread, LOW_PRIORITY), seL4_NoError);
    let_both_work();
    CHECK_JOURNAL('h', 'l');
}

static void priorities_stay_below_the_authority(void)
{
    CHECK_EQUAL(seL4_TCB_SetPriority(low_thread, own_thread, OWN_PRIORITY + 1), seL4_RangeError);
    CHECK_EQUAL(seL4_GetMR(1), OWN_PRIORITY);
    CHECK_EQUAL(seL4_TCB_SetPriority(low_thread, high_thread, HIGH_PRIORITY + 1), seL4_RangeError);
    CHECK_EQUAL(seL4_TCB_SetMCPriority(low_thread, own_thread, OWN_PRIORITY + 1), seL4_RangeError);
    CHECK_EQUAL(seL4_TCB_SetMCPriority(low_thread, own_thread, LOW_PRIORITY), seL4_NoError);
}

static void a_stopped_worker_works_when_it_is_resumed(void)
{
    CHECK_EQUAL(seL4_TCB_Suspend(high_thread), seL4_NoError);
    journal_clear();
    microkit_notify(HIGH_CHANNEL);
    microkit_notify(LOW_CHANNEL);
    CHECK_EQUAL(wait_for_signals(), 1 << LOW_CHANNEL);
    CHECK_EQUAL(seL4_TCB_Resume(high_thread), seL4_NoError);
    CHECK_EQUAL(wait_for_signals(), 1 << HIGH_CHANNEL);
    CHECK_JOURNAL('l', 'h');
}

static void registers_can_be_read_through_either_slot(void)
{
    seL4_UserContext first, again;
    CHECK_EQUAL(seL4_TCB_ReadRegisters(low_thread, seL4_False, 0, 1, &first), seL4_NoError);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(low_again, seL4_False, 0, 1, &again), seL4_NoError);
    CHECK(*(seL4_Word *)&first >= 0x200000);
    CHECK_EQUAL(*(seL4_Word *)&first, *(seL4_Word *)&again);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(own_thread, seL4_False, 0, 1, &again), seL4_IllegalOperation);
    CHECK_EQUAL(seL4_TCB_SetTLSBase(low_thread, 0x12340), seL4_NoError);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(low_thread, seL4_False, 0, LIMEN_CONTEXT_WORDS, &again), seL4_NoError);
    seL4_Word found = 0;
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        found += ((seL4_Word *)&again)[i] == 0x12340;
    }
    CHECK_EQUAL(found, 1);
}

static void a_worker_without_time_waits_for_it(void)
{
    let_both_work();
    seL4_SchedContext_Consumed_t used = seL4_SchedContext_Consumed(low_time);
    CHECK_EQUAL((seL4_Word)used.error, seL4_NoError);
    CHECK_EQUAL(seL4_SchedContext_UnbindObject(low_time, low_thread), seL4_NoError);
    microkit_notify(LOW_CHANNEL);
    microkit_notify(HIGH_CHANNEL);
    CHECK_EQUAL(wait_for_signals(), 1 << HIGH_CHANNEL);
    CHECK_EQUAL(seL4_SchedContext_Bind(low_time, low_thread), seL4_NoError);
    CHECK_EQUAL(wait_for_signals(), 1 << LOW_CHANNEL);
    CHECK_EQUAL(seL4_SchedContext_Bind(low_time, low_thread), seL4_IllegalOperation);
}

/* Methods of address spaces, under their names on each architecture. */
#if defined(CONFIG_ARCH_AARCH64)
static void caches_are_maintained_through_the_address_space(void)
{
    volatile seL4_Word *words = (volatile seL4_Word *)buffer;
    words[0] = 1;
    words[0x2ff8 / 8] = 2;
    CHECK_EQUAL(seL4_ARM_VSpace_Clean_Data(own_space, buffer, buffer + 0x3000), seL4_NoError);
    CHECK_EQUAL(seL4_ARM_VSpace_CleanInvalidate_Data(own_space, buffer + 4, buffer + 5), seL4_NoError);
    CHECK_EQUAL(seL4_ARM_VSpace_Invalidate_Data(own_space, buffer, buffer + 0x3000), seL4_NoError);
    CHECK_EQUAL(seL4_ARM_VSpace_Unify_Instruction(own_space, buffer, buffer + 0x40), seL4_NoError);
    CHECK_EQUAL(seL4_ARM_VSpace_Clean_Data(own_space, buffer_to_read, buffer_to_read + 0x1000), seL4_NoError);
    CHECK_EQUAL(seL4_ARM_VSpace_Clean_Data(LIMEN_VSPACE_CAP, buffer, buffer + 8), seL4_NoError);
    CHECK_EQUAL(words[0], 1);
    CHECK_EQUAL(words[0x2ff8 / 8], 2);
}

static void invalid_ranges_are_refused(void)
{
    seL4_Word read_only = buffer_to_read, block = 0x3200000;
    CHECK_EQUAL(seL4_ARM_VSpace_Invalidate_Data(own_space, read_only, read_only + 8), seL4_IllegalOperation);
    CHECK_EQUAL(seL4_ARM_VSpace_Clean_Data(own_space, buffer, buffer), seL4_InvalidArgument);
    CHECK_EQUAL(seL4_ARM_VSpace_Clean_Data(own_space, block - 8, block + 8), seL4_RangeError);
    CHECK_EQUAL(seL4_ARM_VSpace_Clean_Data(own_space, 0xffff000000000000, 0xffff000000000040), seL4_IllegalOperation);
    /* An unmapped address. */
    CHECK_EQUAL(seL4_ARM_VSpace_CleanInvalidate_Data(own_space, 0x7000000, 0x7002000), seL4_NoError);
}
#else
static void caches_are_maintained_through_the_address_space(void)
{
    CHECK_EQUAL(limen_invoke_plain(own_space, ARMVSpaceClean_Data, 0), seL4_IllegalOperation);
}

static void invalid_ranges_are_refused(void)
{
    CHECK_EQUAL(limen_invoke_plain(own_space, ARMVSpaceUnify_Instruction, 0), seL4_IllegalOperation);
}
#endif

void init(void)
{
    low_thread = microkit_cspace_root_slot_to_cptr(1);
    high_thread = microkit_cspace_root_slot_to_cptr(2);
    own_thread = microkit_cspace_root_slot_to_cptr(3);
    low_time = microkit_cspace_root_slot_to_cptr(4);
    own_space = microkit_cspace_root_slot_to_cptr(5);
    low_again = microkit_cspace_root_slot_to_cptr(63);
    RUN(slots_outside_have_no_pointer);
    RUN(empty_slots_hold_nothing);
    RUN(workers_run_in_the_order_of_their_priorities);
    RUN(priorities_stay_below_the_authority);
    RUN(a_stopped_worker_works_when_it_is_resumed);
    RUN(registers_can_be_read_through_either_slot);
    RUN(a_worker_without_time_waits_for_it);
    RUN(caches_are_maintained_through_the_address_space);
    RUN(invalid_ranges_are_refused);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
