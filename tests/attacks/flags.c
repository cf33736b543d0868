/* Flags that a parent writes: the kernel accepts unprivileged flags and ignores the others. */

#include "architecture.h"
#include "attempt.h"
#include "instructions.h"
#include "neighbours.h"
#include "random.h"
#include "series.h"
#include "table.h"

#define RANDOM_FLAGS 200

/* Each bit alone, all bits but one, and random values. */
static seL4_Word flags_to_forge(seL4_Word i)
{
    if (i < 64) {
        return 1ul << i;
    }
    return i < 128 ? ~(1ul << (i - 64)) : random_word();
}

static seL4_Word read_flags(void)
{
    seL4_UserContext context;
    seL4_TCB_ReadRegisters(CULPRIT_THREAD, seL4_False, 0, LIMEN_CONTEXT_WORDS, &context);
    return get_flags(&context);
}

/* Whatever the flags, the culprit must stop at the next undefined instruction. */
static void expect_flags(const char *code, seL4_Word wanted)
{
    if (single_steps(wanted)) {
        expect("the label", report.label, seL4_Fault_UserException);
        return;
    }
    expect_exception(in_culprit(code), UNDEFINED_NUMBER, 0);
    expect("the flags", read_flags() & FLAGS_REPORTED, wanted & FLAGS_REPORTED);
}

void written_flags_change_no_privileges(void)
{
    for (seL4_Word i = 0; i < 128 + RANDOM_FLAGS; i++) {
        seL4_Word flags = flags_to_forge(i);
        seL4_Word wanted = taken_flags(flags);
        begin("written flags", flags);
        prepare(in_culprit(undefined_code));
        set_flags(&registers, flags);
        seL4_TCB_WriteRegisters(CULPRIT_THREAD, seL4_False, 0, LIMEN_CONTEXT_WORDS, &registers);
        expect("what reads back", read_flags(), wanted);
        attempt();
        expect_flags(undefined_code, wanted);
        ask_neighbours();
    }
    end_series("written_flags");
}

static void answer_exception_with(seL4_Word flags)
{
    begin("flags in the answer to an exception", flags);
    prepare(in_culprit(undefined_code));
    attempt();
    seL4_SetMR(seL4_UserException_FaultIP, in_culprit(after_undefined_code));
    seL4_SetMR(seL4_UserException_SP, STACK);
    seL4_SetMR(FLAGS_OF_EXCEPTION, flags);
    attempt_with_answer(FLAGS_OF_EXCEPTION + 1);
    expect_flags(after_undefined_code, taken_flags(flags));
}

static void answer_system_call_with(seL4_Word flags)
{
    begin("flags in the answer to a system call", flags);
    prepare(in_culprit(unknown_call_code));
    set_system_call(&registers, -1000ul);
    attempt();
    for (seL4_Word i = 0; i < seL4_UnknownSyscall_Length; i++) {
        seL4_SetMR((int)i, report.words[i]);
    }
    seL4_SetMR(seL4_UnknownSyscall_FaultIP, in_culprit(after_unknown_call_code));
    seL4_SetMR(FLAGS_OF_SYSTEM_CALL, flags);
    attempt_with_answer(seL4_UnknownSyscall_Syscall);
    expect_flags(after_unknown_call_code, taken_flags(flags));
}

void answered_flags_change_no_privileges(void)
{
    for (seL4_Word i = 0; i < 128 + RANDOM_FLAGS; i++) {
        seL4_Word flags = flags_to_forge(i);
        answer_exception_with(flags);
        answer_system_call_with(flags);
        ask_neighbours();
    }
    end_series("answered_flags");
}
