/* Loads, stores and jumps to the culprit's memory, to the memory of others, and to unused addresses. */

#include "architecture.h"
#include "attempt.h"
#include "neighbours.h"
#include "series.h"
#include "table.h"

/* The culprit's permissions at an address. */
#define R (1u << LOAD)
#define W (1u << STORE)
#define X (1u << FETCH)

static const char *const names[] = { [LOAD] = "load", [STORE] = "store", [FETCH] = "jump" };

static void expect_obstacle(enum access access, seL4_Word pc, seL4_Word address, enum obstacle obstacle)
{
    if (obstacle == NOBODYS && NOBODYS_IS_AN_EXCEPTION) {
        expect_exception(pc, NOBODYS_NUMBER, 0);
        return;
    }
    expect_memory_fault(pc, address, access == FETCH);
    seL4_Word mask = status_mask(obstacle);
    expect("the status", report.words[seL4_VMFault_FSR] & mask, status(access, obstacle) & mask);
}

/* A processor refuses the jump to a non-canonical address, QEMU 7.2 the fetch after it. */
static int is_stopped_at_jump(seL4_Word pc, enum obstacle obstacle)
{
    return obstacle == NOBODYS && NOBODYS_IS_AN_EXCEPTION && report.words[seL4_UserException_FaultIP] == pc;
}

static void try_access(enum access access, seL4_Word address, unsigned int rights, enum obstacle obstacle)
{
    static const char *const codes[] = { [LOAD] = load_code, [STORE] = store_code, [FETCH] = jump_code };
    seL4_Word pc = in_culprit(codes[access]);
    begin(names[access], address);
    prepare(pc);
    registers.ARGUMENT = address;
    attempt();
    if (rights & 1u << access) {
        expect("the label", report.label, seL4_Fault_UserException);
        expect("the number", report.words[seL4_UserException_Number], UNDEFINED_NUMBER);
        return;
    }
    if (access == FETCH && !is_stopped_at_jump(pc, obstacle)) {
        pc = fetched_from(address);
        address = pc;
    }
    expect_obstacle(access, pc, address, obstacle);
    expect_registers(pc);
    ask_neighbours();
}

static void try_accesses(seL4_Word address, unsigned int rights, enum obstacle obstacle)
{
    for (enum access access = LOAD; access <= STORE; access++) {
        try_access(access, address, rights, obstacle);
    }
    /* Executing at an executable address is no attack, and does not return. */
    if (!(rights & X)) {
        try_access(FETCH, address, rights, obstacle);
    }
}

/* Constants are in the executable segment. */
static void try_own_memory(void)
{
    const struct places *places = (const struct places *)PLACES;
    try_accesses(places->text & ~7ul, R | X, FORBIDDEN);
    try_accesses(places->constants, R | X, FORBIDDEN);
    try_accesses(places->variables, R | W, FORBIDDEN);
    try_accesses(places->zeroes, R | W, FORBIDDEN);
    try_accesses(places->stack, R | W, FORBIDDEN);
    try_accesses(places->message_buffer, R | W, FORBIDDEN);
    try_accesses(CODE, R | X, FORBIDDEN);
    try_accesses(DATA, R | W, FORBIDDEN);
    try_accesses(CONSTANT, R, FORBIDDEN);
}

/* Addresses of other programs or unused ones: the tester has memory at the third. */
static void try_missing_memory(void)
{
    static const seL4_Word addresses[] = {
        0, 8, CODE_WRITTEN, NOWHERE, DATA - 8, DATA + 0x2000, LIMEN_IPC_BUFFER_ADDRESS - 8, 0x3000000000,
    };
    for (seL4_Word i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        try_accesses(addresses[i], 0, MISSING);
    }
}

static void try_foreign_addresses(void)
{
    static const seL4_Word kernels[] = { KERNEL_ADDRESSES };
    static const seL4_Word nobodys[] = { NOBODYS_ADDRESSES };
    for (seL4_Word i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        try_accesses(kernels[i], 0, KERNELS);
    }
    for (seL4_Word i = 0; i < sizeof(nobodys) / sizeof(nobodys[0]); i++) {
        try_accesses(nobodys[i], 0, NOBODYS);
    }
}

void accesses_need_permission(void)
{
    volatile seL4_Word *constant = (volatile seL4_Word *)CONSTANT;
    *constant = 4711;
    try_own_memory();
    try_missing_memory();
    try_foreign_addresses();
    CHECK_EQUAL(*constant, 4711);
    end_series("accesses");
}
