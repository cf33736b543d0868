/* Tests for this architecture only: flags, and every encoding of a system instruction for other exception levels. */

#include "architecture.h"
#include "attempt.h"
#include "neighbours.h"
#include "series.h"
#include "table.h"

/* MSR, MRS, SYS and SYSL with x0: fields op0 (1 to 3), op1, CRn, CRm, op2 and the direction. Source: ARM DDI 0487,
 * C4.1.67. */
#define SYSTEM_INSTRUCTION 0xd5000000u
#define ENCODINGS (1ul << 17)
#define OP0(number) ((number) >> 14 & 3)
#define OP1(number) ((number) >> 11 & 7)
#define REST(number) ((number) & 0x7ff)
/* op1 values of instructions that programs may use. */
#define OP1_USER 3

static seL4_Uint32 encode(seL4_Word number)
{
    seL4_Word direction = number >> 16;
    return (seL4_Uint32)(SYSTEM_INSTRUCTION | direction << 21 | OP0(number) << 19 | OP1(number) << 16
                         | REST(number) << 5);
}

static void system_instructions_of_other_levels_are_undefined(void)
{
    for (seL4_Word number = 0; number < ENCODINGS; number += STEP) {
        if (OP0(number) == 0 || OP1(number) == OP1_USER) {
            continue;
        }
        begin("system instruction", encode(number));
        patch(encode(number));
        prepare(in_culprit(patch_code));
        attempt();
        expect_exception(in_culprit(patch_code), UNDEFINED_NUMBER, 0);
        expect_registers(in_culprit(patch_code));
    }
    end_series("system_instructions");
}

/* Addresses that could be executed. */
static void a_misaligned_program_counter_is_an_exception(void)
{
    for (seL4_Word pc = in_culprit(undefined_code) + 1; pc & 3; pc++) {
        begin("program counter", pc);
        prepare(pc);
        attempt();
        expect_exception(pc, MISALIGNED_NUMBER, 0);
        expect_registers(pc);
    }
    end_series("misaligned_program_counters");
}

void test_architecture(void)
{
    RUN(written_flags_change_no_privileges);
    RUN(answered_flags_change_no_privileges);
    RUN(a_misaligned_program_counter_is_an_exception);
    RUN(system_instructions_of_other_levels_are_undefined);
}
