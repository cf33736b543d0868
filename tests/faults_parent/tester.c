/* A parent that receives its children's faults without the event loop and checks every word of them. */

#include "exceptions.h"
#include "instructions.h"
#include "keeper.h"
#include "test.h"

#define CULPRIT 0
#define TWIN 61

#define CULPRIT_DONE 0
#define KEEPER_START_CHANNEL 2
#define KEEPER_CRASH_CHANNEL 3
#define PASSIVE_KEEPER_START 4
#define TICKER 5

#define BIT(channel) (1ul << (channel))

/* Where nothing is mapped. */
#define NOWHERE 0x5000000ul

/* Memory shared with the children, and the id of one; set by the tool. */
seL4_Word orders_culprit;
seL4_Word orders_twin;
seL4_Word orders_leaf;
seL4_Word orders_passive;
seL4_Word keeper_id;

/* The result of the last receive. */
static seL4_Word badge;
static seL4_MessageInfo_t message;

static struct orders *culprit(void)
{
    return (struct orders *)orders_culprit;
}

static struct orders *twin(void)
{
    return (struct orders *)orders_twin;
}

static struct keeping *leaf(void)
{
    return (struct keeping *)orders_leaf;
}

static struct keeping *passive_leaf(void)
{
    return (struct keeping *)orders_passive;
}

static void receive(void)
{
    message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
}

static void answer(seL4_Word label, seL4_Word words)
{
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(label, 0, 0, words));
}

static void receive_notification(microkit_channel ch)
{
    receive();
    CHECK_EQUAL(badge, BIT(ch));
}

static void receive_fault(microkit_child child, seL4_Word label, seL4_Word words)
{
    receive();
    CHECK_EQUAL(badge, LIMEN_BADGE_CHILD_FAULT | child);
    CHECK_EQUAL(seL4_MessageInfo_get_label(message), label);
    CHECK_EQUAL(seL4_MessageInfo_get_length(message), words);
    CHECK_EQUAL(seL4_MessageInfo_get_extraCaps(message), 0);
}

/* Lets all other programs run until they block. */
static void let_all_run(void)
{
    microkit_notify(TICKER);
    receive_notification(TICKER);
}

/* Gives the culprit an order, which it carries out when the tester blocks. */
static void order(seL4_Word what, seL4_Word address)
{
    culprit()->order = what;
    culprit()->address = address;
    culprit()->survived = 0;
    culprit()->result = 0;
    microkit_pd_restart(CULPRIT, culprit()->again);
}

static void check_survived(void)
{
    receive_notification(CULPRIT_DONE);
    CHECK_EQUAL(culprit()->survived, 1);
}

/* Checks the first words of a fault: its location. */
static void check_memory_fault(seL4_Word address, seL4_Word from)
{
    CHECK_EQUAL(seL4_GetMR(seL4_VMFault_IP), from);
    CHECK_EQUAL(seL4_GetMR(seL4_VMFault_Addr), address);
}

static void an_answer_makes_the_access_happen_again(void)
{
    order(LOAD, NOWHERE);
    for (int i = 0; i < 100; i++) {
        receive_fault(CULPRIT, seL4_Fault_VMFault, seL4_VMFault_Length);
        check_memory_fault(NOWHERE, culprit()->instruction);
        answer(i & 1, i & 4);
    }
    receive_fault(CULPRIT, seL4_Fault_VMFault, seL4_VMFault_Length);
}

static void an_access_can_be_repaired_through_registers(void)
{
    seL4_UserContext context;
    order(LOAD, NOWHERE);
    receive_fault(CULPRIT, seL4_Fault_VMFault, seL4_VMFault_Length);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, LIMEN_CONTEXT_WORDS, &context), 0);
    CHECK_EQUAL(context.PROGRAM_COUNTER, culprit()->instruction);
    CHECK_EQUAL(context.ARGUMENT, NOWHERE);
    context.ARGUMENT = (seL4_Word)&culprit()->counter - orders_culprit + 0x3000000;
    culprit()->counter = 4711;
    CHECK_EQUAL(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, LIMEN_CONTEXT_WORDS, &context), 0);
    answer(0, 0);
    check_survived();
    CHECK_EQUAL(culprit()->result, 4711);
}

static void check_exception(seL4_Word number)
{
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_FaultIP), culprit()->instruction);
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_SP) & 0xf, 0);
    check_flags();
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_Number), number);
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_Code), 0);
}

static void skip_instruction(void)
{
    seL4_SetMR(0, seL4_GetMR(0) + 4);
    answer(0, 1);
}

static void an_undefined_instruction(void)
{
    order(UNDEFINED, 0);
    check_exception(UNDEFINED_NUMBER);
    skip_instruction();
    check_survived();
}

static void a_breakpoint(void)
{
    order(BREAKPOINT, 0);
    check_exception(BREAKPOINT_NUMBER);
    skip_instruction();
    check_survived();
}

/* Register values that a program can have. */
static void fill(seL4_UserContext *context)
{
    seL4_Word *words = (seL4_Word *)context;
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        words[i] = 0x1111111111111110ul + 0x100 * i;
    }
    make_possible(context);
}

static void registers_read_back_as_written(void)
{
    seL4_UserContext written;
    seL4_UserContext read;
    order(UNDEFINED, 0);
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    fill(&written);
    CHECK_EQUAL(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, LIMEN_CONTEXT_WORDS, &written), 0);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, LIMEN_CONTEXT_WORDS, &read), 0);
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        CHECK_EQUAL(((seL4_Word *)&read)[i], ((seL4_Word *)&written)[i]);
    }
}

static void an_unknown_system_call_is_emulated(void)
{
    order(SYSTEM_CALL, 0);
    culprit()->number = (seL4_Word)-100;
    receive_fault(CULPRIT, seL4_Fault_UnknownSyscall, seL4_UnknownSyscall_Length);
    for (int i = 0; i < CALL_WORDS; i++) {
        CHECK_EQUAL(seL4_GetMR(FIRST_CALL_WORD + i), FIRST_REGISTER + (seL4_Word)i);
    }
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_FaultIP), culprit()->instruction);
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_Syscall), (seL4_Word)-100);
    check_call_flags();
    seL4_SetMR(FIRST_CALL_WORD, 77);
    seL4_SetMR(seL4_UnknownSyscall_FaultIP, culprit()->instruction + 4);
    answer(0, seL4_UnknownSyscall_Syscall);
    check_survived();
    CHECK_EQUAL(culprit()->result, 77);
}

static void an_unknown_system_call_is_repeated(void)
{
    order(SYSTEM_CALL, 0);
    culprit()->number = 5;
    for (int i = 0; i < 3; i++) {
        receive_fault(CULPRIT, seL4_Fault_UnknownSyscall, seL4_UnknownSyscall_Length);
        CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_Syscall), 5);
        answer(0, 0);
    }
    receive_fault(CULPRIT, seL4_Fault_UnknownSyscall, seL4_UnknownSyscall_Length);
}

static void a_pointer_outside_the_table(void)
{
    order(CALL, 0x1000);
    receive_fault(CULPRIT, seL4_Fault_CapFault, seL4_CapFault_GuardMismatch_BitsFound + 1);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_IP), culprit()->instruction);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_Addr), 0x1000);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_InRecvPhase), 0);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_LookupFailureType), seL4_GuardMismatch);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_BitsLeft), 58);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_GuardMismatch_GuardFound), 0);
    CHECK_EQUAL(seL4_GetMR(seL4_CapFault_GuardMismatch_BitsFound), 49);
}

static void receiving_from_the_wrong_capability(void)
{
    static const seL4_Word slots[] = { 0, 3, 4, 9, 10, 500 };
    for (seL4_Word i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        order(RECEIVE, slots[i]);
        receive_fault(CULPRIT, seL4_Fault_CapFault, seL4_CapFault_BitsLeft + 1);
        CHECK_EQUAL(seL4_GetMR(seL4_CapFault_IP), culprit()->instruction);
        CHECK_EQUAL(seL4_GetMR(seL4_CapFault_Addr), slots[i]);
        CHECK_EQUAL(seL4_GetMR(seL4_CapFault_InRecvPhase), 1);
        CHECK_EQUAL(seL4_GetMR(seL4_CapFault_LookupFailureType), seL4_MissingCapability);
        CHECK_EQUAL(seL4_GetMR(seL4_CapFault_BitsLeft), 0);
    }
}

static void calling_an_empty_slot_is_an_error(void)
{
    order(CALL, 500);
    check_survived();
    CHECK_EQUAL(culprit()->result >> LIMEN_INFO_LABEL_SHIFT, seL4_InvalidCapability);
}

static void an_answer_with_a_label_leaves_the_child_stopped(void)
{
    order(UNDEFINED, 0);
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    answer(1, 0);
    let_all_run();
    CHECK_EQUAL(culprit()->survived, 0);
    microkit_pd_resume(CULPRIT);
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_FaultIP), culprit()->instruction);
}

static void a_stopped_child_does_not_run(void)
{
    order(COUNT, 0);
    for (int i = 0; i < 100; i++) {
        receive_notification(CULPRIT_DONE);
        microkit_pd_stop(CULPRIT);
        seL4_Word count = culprit()->counter;
        let_all_run();
        CHECK_EQUAL(culprit()->counter, count);
        microkit_pd_resume(CULPRIT);
    }
    receive_notification(CULPRIT_DONE);
    microkit_pd_stop(CULPRIT);
}

static void a_child_is_restarted_a_thousand_times(void)
{
    seL4_Word starts = culprit()->starts;
    for (seL4_Word i = 1; i <= 1000; i++) {
        order(i & 1 ? UNDEFINED : LOAD, NOWHERE);
        receive_fault(CULPRIT, i & 1 ? seL4_Fault_UserException : seL4_Fault_VMFault,
                      i & 1 ? seL4_UserException_Length : seL4_VMFault_Length);
        CHECK_EQUAL(culprit()->starts, starts + i);
    }
}

/* As in the examples, the stack pointer stays where the fault left it. */
static void a_child_is_restarted_at_its_entry(void)
{
    extern char _start[];
    order(UNDEFINED, 0);
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    for (int i = 0; i < 9; i++) {
        microkit_pd_restart(CULPRIT, (seL4_Word)_start);
        receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    }
}

static void two_children_fault_at_once(void)
{
    twin()->order = UNDEFINED;
    order(UNDEFINED, 0);
    microkit_pd_restart(TWIN, twin()->again);
    receive();
    seL4_Word first = badge;
    receive();
    CHECK_EQUAL(first + badge, 2 * LIMEN_BADGE_CHILD_FAULT + CULPRIT + TWIN);
    CHECK(first != badge);
}

static void requests_to_a_thread_are_checked(void)
{
    seL4_UserContext context;
    fill(&context);
    seL4_CPtr thread = BASE_TCB_CAP + CULPRIT;
    CHECK_EQUAL(seL4_TCB_ReadRegisters(thread, seL4_False, 0, 0, &context), seL4_RangeError);
    CHECK_EQUAL(seL4_GetMR(0), 1);
    CHECK_EQUAL(seL4_GetMR(1), LIMEN_CONTEXT_WORDS);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(thread, seL4_False, 0, LIMEN_CONTEXT_WORDS + 1, &context), seL4_RangeError);
    seL4_SetMR(0, 0);
    seL4_SetMR(1, 4);
    seL4_MessageInfo_t error = seL4_Call(thread, seL4_MessageInfo_new(TCBWriteRegisters, 0, 0, 5));
    CHECK_EQUAL(seL4_MessageInfo_get_label(error), seL4_TruncatedMessage);
    error = seL4_Call(thread, seL4_MessageInfo_new(TCBReadRegisters, 0, 0, 1));
    CHECK_EQUAL(seL4_MessageInfo_get_label(error), seL4_TruncatedMessage);
    error = seL4_Call(thread, seL4_MessageInfo_new(99, 0, 0, 0));
    CHECK_EQUAL(seL4_MessageInfo_get_label(error), seL4_IllegalOperation);
    CHECK_EQUAL(seL4_TCB_Suspend(BASE_TCB_CAP + 20), seL4_InvalidCapability);
    CHECK_EQUAL(seL4_GetMR(0), 0);
}

/* The child of a keeper has a higher priority than the tester, so it has finished when the notification returns. */
static void run_kept(struct keeping *keeping, microkit_channel start, seL4_Word policy)
{
    keeping->policy = policy;
    keeping->faults = 0;
    keeping->orders.order = UNDEFINED;
    keeping->orders.survived = 0;
    microkit_notify(start);
}

static void check_kept(struct keeping *keeping, seL4_Word faults, seL4_Word survived)
{
    CHECK_EQUAL(keeping->faults, faults);
    CHECK_EQUAL(keeping->last_child, KEPT);
    CHECK_EQUAL(keeping->last_label, seL4_Fault_UserException);
    CHECK_EQUAL(keeping->orders.survived, survived);
}

static void a_child_handles_its_own_child(void)
{
    for (int i = 0; i < 200; i++) {
        run_kept(leaf(), KEEPER_START_CHANNEL, SKIP);
        check_kept(leaf(), 1, 1);
        run_kept(leaf(), KEEPER_START_CHANNEL, LEAVE);
        check_kept(leaf(), 1, 0);
        seL4_Word starts = leaf()->orders.starts;
        run_kept(leaf(), KEEPER_START_CHANNEL, RESTART);
        check_kept(leaf(), 1, 0);
        CHECK_EQUAL(leaf()->orders.starts, starts + 2);
    }
}

/* The handler runs on the child's scheduling context, which returns with the reply. Without a reply the parent would keep
 * it, and the child could not run again. */
static void a_passive_parent_handles_its_child(void)
{
    for (int i = 0; i < 200; i++) {
        run_kept(passive_leaf(), PASSIVE_KEEPER_START, SKIP);
        check_kept(passive_leaf(), 1, 1);
    }
    run_kept(passive_leaf(), PASSIVE_KEEPER_START, LEAVE);
    check_kept(passive_leaf(), 1, 0);
}

/* The keeper faults itself; meanwhile the faults of its child wait. */
static void a_faulting_parent_is_handled_by_its_own(void)
{
    microkit_notify(KEEPER_CRASH_CHANNEL);
    receive_fault((microkit_child)keeper_id, seL4_Fault_UserException, seL4_UserException_Length);
    run_kept(leaf(), KEEPER_START_CHANNEL, SKIP);
    CHECK_EQUAL(leaf()->faults, 0);
    skip_instruction();
    let_all_run();
    check_kept(leaf(), 1, 1);
}

static void test_memory_faults(void)
{
    RUN(an_answer_makes_the_access_happen_again);
    RUN(an_access_can_be_repaired_through_registers);
}

static void test_exceptions(void)
{
    RUN(an_undefined_instruction);
    RUN(a_breakpoint);
    RUN(registers_read_back_as_written);
    RUN(an_answer_with_a_label_leaves_the_child_stopped);
}

static void test_system_calls(void)
{
    RUN(an_unknown_system_call_is_emulated);
    RUN(an_unknown_system_call_is_repeated);
    RUN(a_pointer_outside_the_table);
    RUN(receiving_from_the_wrong_capability);
    RUN(calling_an_empty_slot_is_an_error);
    RUN(requests_to_a_thread_are_checked);
}

static void test_control(void)
{
    RUN(a_stopped_child_does_not_run);
    RUN(a_child_is_restarted_a_thousand_times);
    RUN(a_child_is_restarted_at_its_entry);
    RUN(two_children_fault_at_once);
    RUN(a_child_handles_its_own_child);
    RUN(a_passive_parent_handles_its_child);
    RUN(a_faulting_parent_is_handled_by_its_own);
}

void init(void)
{
    let_all_run();
    test_memory_faults();
    test_exceptions();
    test_system_calls();
    test_control();
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
