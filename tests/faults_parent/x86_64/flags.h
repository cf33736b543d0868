/* Flags can be changed, and privileges among them cannot. Part of the tester. */

static seL4_Word read_flags(void)
{
    seL4_UserContext context;
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, 3, &context), 0);
    return context.rflags;
}

static void an_answer_changes_flags_but_no_privileges(void)
{
    order(UNDEFINED, 0);
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    seL4_SetMR(0, seL4_GetMR(0) + 4);
    seL4_SetMR(2, 0x801ul | FLAGS_PRIVILEGED);
    answer(0, 3);
    CHECK_EQUAL(read_flags(), 0x801ul | FLAGS_FIXED);
    check_survived();
}

static void written_registers_change_no_privileges(void)
{
    seL4_UserContext context;
    order(UNDEFINED, 0);
    receive_fault(CULPRIT, seL4_Fault_UserException, seL4_UserException_Length);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, 3, &context), 0);
    context.rip += 4;
    context.rflags = 0x84ul | FLAGS_PRIVILEGED;
    CHECK_EQUAL(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CULPRIT, seL4_False, 0, 3, &context), 0);
    CHECK_EQUAL(read_flags(), 0x84ul | FLAGS_FIXED);
    answer(0, 0);
    check_survived();
}

static void test_flags(void)
{
    RUN(an_answer_changes_flags_but_no_privileges);
    RUN(written_registers_change_no_privileges);
}
