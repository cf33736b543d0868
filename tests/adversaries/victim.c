/* Looks at everything that it has, once in each of its periods: its registers across every way into the kernel, its
 * memory, its branches, and what its server answers. */

#include "held.h"
#include "watch.h"

#include <limen/static_key.h>

/* The channel to the server. */
#define SERVER 2

#define CANARIES 256
#define WORDS 12

/* Set by the tool; own_memory is a region of its own, turn a word that the attackers write. */
seL4_Word watch, own_memory, turn;

/* On, and no attacker may switch it. */
static LIMEN_STATIC_KEY_TRUE(calm);

static struct held held;
static volatile seL4_Word canaries[CANARIES];
static enum victim self;
static seL4_Word round;

#define EXPECT(condition) expect(condition, __LINE__)

/* The first line that fails is kept. */
static void expect(seL4_Bool holds, seL4_Word line)
{
    struct watch *report = (struct watch *)watch;
    if (!holds && !report->line[self]) {
        report->line[self] = line;
    }
}

static seL4_Word canary(seL4_Word i)
{
    return (i + 1 + round) * 0x9e3779b97f4a7c15ul * (self + 1);
}

static void plant_canaries(void)
{
    for (seL4_Word i = 0; i < CANARIES; i++) {
        canaries[i] = canary(i);
        ((volatile seL4_Word *)own_memory)[i] = ~canary(i);
    }
}

static void check_canaries(void)
{
    for (seL4_Word i = 0; i < CANARIES; i++) {
        EXPECT(canaries[i] == canary(i));
        EXPECT(((volatile seL4_Word *)own_memory)[i] == ~canary(i));
    }
}

static void check_server(void)
{
    for (seL4_Word i = 0; i < WORDS; i++) {
        microkit_mr_set((seL4_Uint8)i, canary(i));
    }
    microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(round, WORDS));
    EXPECT(microkit_msginfo_get_label(answer) == round);
    EXPECT(microkit_msginfo_get_count(answer) == WORDS);
    for (seL4_Word i = 0; i < WORDS; i++) {
        EXPECT(microkit_mr_get((seL4_Uint8)i) == canary(i) + 1);
    }
}

static void repeat(hold_t hold, seL4_Word used)
{
    held_fill(&held, canary(0));
    *held.turn = held.own;
    hold(&held);
    EXPECT(held_count_changed(&held, used) == 0);
}

static void check_registers(void)
{
    switch (round % 8) {
    case 0:
        return repeat(hold_nothing, USED_BY_NOTHING);
    case 1:
        return repeat(hold_signal, USED_BY_SIGNAL);
    case 2:
        return repeat(hold_call, USED_BY_CALL);
    case 3:
        return repeat(hold_long_call, USED_BY_CALL);
    case 4:
        return repeat(hold_service, USED_BY_CALL);
    case 5:
        return repeat(hold_fault, USED_BY_NOTHING);
    case 6:
        return repeat(hold_yield, USED_BY_YIELD);
    default:
        return repeat(hold_preemption, USED_BY_PREEMPTION);
    }
}

void init(void)
{
    self = own_place();
    held.turn = (volatile seL4_Word *)turn + (self == VICTIM_REMOTE);
    held.own = ~(seL4_Word)self;
    for (;;) {
        plant_canaries();
        check_registers();
        check_server();
        EXPECT(limen_static_branch_likely(calm));
        repeat(hold_yield, USED_BY_YIELD);
        check_canaries();
        round++;
        ((struct watch *)watch)->rounds[self]++;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
