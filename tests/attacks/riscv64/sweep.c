/* Tests for this architecture only: reads and writes of every control and status register. */

#include "architecture.h"
#include "attempt.h"
#include "series.h"
#include "table.h"

/* csrrs a0, number, zero and csrrw zero, number, a0. Source: The RISC-V Instruction Set Manual, Volume I, Zicsr. */
#define READ(number) ((seL4_Uint32)(0x00002573u | (number) << 20))
#define WRITE(number) ((seL4_Uint32)(0x00051073u | (number) << 20))
#define NUMBERS 4096u

/* Flags and rounding mode of floating point, and the time. */
#define FFLAGS 0x001u
#define FCSR 0x003u
#define TIME 0xc01u

static void try_instruction(const char *name, seL4_Uint32 number, seL4_Uint32 instruction, int is_allowed)
{
    begin(name, number);
    patch(instruction);
    prepare(in_culprit(patch_code));
    /* fcsr has no other bits. */
    registers.a0 = 0;
    attempt();
    expect_exception(in_culprit(is_allowed ? after_patch_code : patch_code), UNDEFINED_NUMBER, 0);
    if (!is_allowed) {
        expect_registers(in_culprit(patch_code));
    }
}

static void control_registers_are_for_the_kernel(void)
{
    for (seL4_Uint32 number = 0; number < NUMBERS; number++) {
        int is_float = number >= FFLAGS && number <= FCSR;
        try_instruction("read of register", number, READ(number), is_float || number == TIME);
        try_instruction("write of register", number, WRITE(number), is_float);
    }
    end_series("control_registers");
}

void test_architecture(void)
{
    RUN(control_registers_are_for_the_kernel);
}
