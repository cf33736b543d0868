/* Tests for this architecture only: flags, segment bases, ports, and segment tables that a program writes. */

#include "architecture.h"
#include "attempt.h"
#include "neighbours.h"
#include "series.h"
#include "table.h"

static const seL4_Word bases[] = {
    0, 1, NOWHERE, 1ul << 46, 1ul << 47, 0x0000800000000000ul, 0x7fffffffffffffffl, FIRST_UPPER_ADDRESS,
    0xffff7ffffffffffful, 0xffffffff80000000ul, 1ul << 63, ~0ul,
};

/* Any value may be written; the kernel makes a non-canonical one canonical. */
static void bases_of_segments_may_be_anything(void)
{
    for (seL4_Word i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        begin("base", bases[i]);
        prepare(in_culprit(undefined_code));
        registers.fs_base = bases[i];
        registers.gs_base = ~bases[i];
        attempt();
        registers.fs_base = taken_program_counter(bases[i]);
        registers.gs_base = taken_program_counter(~bases[i]);
        expect_exception(in_culprit(undefined_code), UNDEFINED_NUMBER, 0);
        expect_registers(in_culprit(undefined_code));
        ask_neighbours();
    }
    end_series("bases");
}

/* in al, dx and out dx, al, each with no-ops. */
#define IN 0x909090ecu
#define OUT 0x909090eeu
#define PORTS 0x10000u

static void try_port(const char *name, seL4_Uint32 instruction)
{
    patch(instruction);
    for (seL4_Word port = 0; port < PORTS; port += STEP) {
        begin(name, port);
        prepare(in_culprit(patch_code));
        registers.rdx = port;
        attempt();
        expect_exception(in_culprit(patch_code), PROTECTION_NUMBER, 0);
        expect_registers(in_culprit(patch_code));
    }
}

static void no_port_is_open(void)
{
    try_port("read of port", IN);
    try_port("write of port", OUT);
    end_series("ports");
}

/* A call gate to the kernel's code: 64 bits, callable by programs. The selectors point into this page for a segment table
 * at address zero. Source: Intel SDM, volume 3, figure 5-8. */
#define GATE_LOW 0x8000ec0000080000ul
#define GATE_HIGH 0x00000000fffffffful
#define SELECTOR(address) ((address) | 7)

static const seL4_Uint8 call_through_gate[] = { 0xff, 0x1f, 0x0f, 0x0b };

static void try_gate(seL4_Word address)
{
    volatile seL4_Word *low = (volatile seL4_Word *)(LOW_WRITTEN + address - LOW);
    low[0] = GATE_LOW;
    low[1] = GATE_HIGH;
    /* The address of the call: its offset does not matter. */
    volatile seL4_Uint32 *far = (volatile seL4_Uint32 *)DATA;
    far[0] = 0;
    far[1] = (seL4_Uint32)SELECTOR(address);
    begin("gate in low memory", address);
    patch(*(const seL4_Uint32 *)call_through_gate);
    prepare(in_culprit(patch_code));
    registers.rdi = DATA;
    attempt();
    expect_exception(in_culprit(patch_code), PROTECTION_NUMBER, address | 4);
    expect_registers(in_culprit(patch_code));
}

/* Programs have no LDT either; on some processors it starts at address zero. */
static void memory_of_programs_is_no_table_of_segments(void)
{
    for (seL4_Word address = LOW; address < LOW + 0x1000; address += 0x200) {
        try_gate(address);
    }
    end_series("gates");
}

void test_architecture(void)
{
    RUN(written_flags_change_no_privileges);
    RUN(answered_flags_change_no_privileges);
    RUN(bases_of_segments_may_be_anything);
    RUN(no_port_is_open);
    RUN(memory_of_programs_is_no_table_of_segments);
}
