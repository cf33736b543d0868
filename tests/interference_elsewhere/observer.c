/* Looks, round by round, at everything that the kernel shows it except for time: answers, signals, the order of its domain's
 * programs, faults of its child, its key, its registers, the counts of its processor, and errors. The suite compares what it
 * prints in systems that differ only in the other domain's work.
 *
 * What it sees may not depend on the number of rounds either, so it prints each different sight once. */

#include <limen.h>
#include <limen/static_key.h>

#include "journal.h"
#include "print.h"
#include "state.h"
#include "test.h"
#include "text.h"
#include "work.h"

#define HIGH 1
#define LOW 2
#define HERE 3
#define ACTIVE 4
#define PASSIVE 5
#define CHILD 0
#define KEY 0
/* Ids without a key and a child. */
#define NO_KEY 9
#define NO_CHILD 9

/* Rounds at least, and those of each guest meanwhile. */
#define ROUNDS 40
#define GUEST_ROUNDS 8
/* Different sights that are kept. */
#define SIGHTS 8

enum part {
    ANSWERS, CALLS, ORDER, SIGNALS, STRAY, FAULTS, ADDRESSES, KEY_ON, KEY_OFF, SAVES, LOADS, ENABLES, DISABLES, UNIT_FAULTS,
    REGISTERS, ERRORS, PARTS
};

static const char *const names[PARTS] = {
    "answers", "calls", "order", "signals", "stray", "faults", "addresses", "key_on", "key_off", "saves", "loads", "enables",
    "disables", "unit_faults", "registers", "errors",
};

struct sight {
    seL4_Word parts[PARTS];
};

seL4_Word journal;
seL4_Word work;

static LIMEN_STATIC_KEY_FALSE(watched);
static struct sight sights[SIGHTS];
static seL4_Word sights_seen;
static seL4_Word rounds_seen;
static seL4_Word guest_rounds[GUESTS];

/* Appends a value to a part of a sight. */
static void see(struct sight *sight, enum part part, seL4_Word value)
{
    sight->parts[part] = sight->parts[part] * 31 + value;
}

static void look_at_server(struct sight *sight, microkit_channel server)
{
    static seL4_Word calls[PASSIVE + 1];
    microkit_mr_set(0, server);
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(server, 1));
    see(sight, ANSWERS, microkit_msginfo_get_label(answer));
    see(sight, ANSWERS, microkit_msginfo_get_count(answer));
    see(sight, ANSWERS, microkit_mr_get(0));
    see(sight, CALLS, microkit_mr_get(1) - calls[server]);
    calls[server] = microkit_mr_get(1);
}

/* Waits until these channels have signalled. */
static void receive(struct sight *sight, seL4_Word expected)
{
    seL4_Word seen = 0;
    while ((seen & expected) != expected) {
        seen |= wait_for_signals();
    }
    see(sight, SIGNALS, seen & expected);
    sight->parts[STRAY] |= seen & ~expected;
}

static void look_at_partners(struct sight *sight)
{
    microkit_notify(LOW);
    microkit_notify(HIGH);
    journal_add('o');
    receive(sight, 1ul << HIGH);
    receive(sight, 1ul << LOW);
}

static void receive_fault(struct sight *sight)
{
    for (;;) {
        seL4_Word badge;
        seL4_MessageInfo_t info = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        if (badge & LIMEN_BADGE_CHILD_FAULT) {
            see(sight, FAULTS, seL4_MessageInfo_get_label(info));
            see(sight, ADDRESSES, seL4_GetMR(seL4_VMFault_Addr));
            return;
        }
        sight->parts[STRAY] |= badge;
    }
}

static void look_at_child(struct sight *sight)
{
    microkit_pd_restart(CHILD, ENTRY);
    receive_fault(sight);
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
    receive_fault(sight);
    see(sight, ERRORS, seL4_TCB_Suspend(BASE_TCB_CAP + CHILD));
}

static void look_at_key(struct sight *sight, enum part part)
{
    limen_key_state_t state;
    see(sight, ERRORS, limen_key_read(KEY, &state));
    see(sight, part, state.enabled);
    see(sight, part, state.count);
    see(sight, part, state.own);
    see(sight, part, limen_static_branch_unlikely(watched) ? 1 : 0);
}

static void turn_key(struct sight *sight)
{
    see(sight, ERRORS, limen_key_inc(KEY));
    look_at_key(sight, KEY_ON);
    see(sight, ERRORS, limen_key_dec(KEY));
    look_at_key(sight, KEY_OFF);
}

static void look_at_errors(struct sight *sight)
{
    limen_key_state_t state;
    see(sight, ERRORS, limen_key_read(NO_KEY, &state));
    see(sight, ERRORS, seL4_TCB_Suspend(BASE_TCB_CAP + NO_CHILD));
    see(sight, ERRORS, limen_fpu_set_policy(LIMEN_FPU_EAGER, 0));
}

static void look_at_counters(struct sight *sight, const limen_fpu_counters_t *before)
{
    limen_fpu_counters_t after;
    see(sight, ERRORS, limen_fpu_counters(&after));
    see(sight, SAVES, after.saves - before->saves);
    see(sight, LOADS, after.loads - before->loads);
    see(sight, ENABLES, after.enables - before->enables);
    see(sight, DISABLES, after.disables - before->disables);
    see(sight, UNIT_FAULTS, after.faults - before->faults);
}

static void look(struct sight *sight)
{
    static struct state written, found;
    limen_fpu_counters_t before;
    *sight = (struct sight) { { 0 } };
    journal_clear();
    see(sight, ERRORS, limen_fpu_counters(&before));
    state_fill(&written);
    state_write(&written);
    look_at_server(sight, HERE);
    look_at_partners(sight);
    look_at_server(sight, ACTIVE);
    look_at_server(sight, PASSIVE);
    look_at_child(sight);
    turn_key(sight);
    look_at_errors(sight);
    state_read(&found);
    see(sight, REGISTERS, (seL4_Word)state_equal(&written, &found));
    look_at_counters(sight, &before);
    for (seL4_Word i = 0; i < journal_count(); i++) {
        see(sight, ORDER, journal_at(i));
    }
    sight->parts[STRAY] |= poll_signals();
}

static int is_equal(const struct sight *one, const struct sight *other)
{
    for (int part = 0; part < PARTS; part++) {
        if (one->parts[part] != other->parts[part]) {
            return 0;
        }
    }
    return 1;
}

static void keep(const struct sight *sight)
{
    for (seL4_Word i = 0; i < sights_seen; i++) {
        if (is_equal(sight, &sights[i])) {
            return;
        }
    }
    if (sights_seen < SIGHTS) {
        sights[sights_seen++] = *sight;
    }
}

/* Whether each guest has done this many rounds since `guest_rounds`. */
static int guests_did(seL4_Word rounds)
{
    int did = 1;
    for (int guest = 0; guest < GUESTS; guest++) {
        did &= load(&all()->rounds[guest]) - guest_rounds[guest] >= rounds;
    }
    return did;
}

/* The first round has one-time work, so nothing of it is kept. */
static void observe(void)
{
    struct sight sight;
    look(&sight);
    while (BUSY && !guests_did(1)) {
    }
    for (int guest = 0; guest < GUESTS; guest++) {
        guest_rounds[guest] = load(&all()->rounds[guest]);
    }
    while (rounds_seen < ROUNDS || (BUSY && !guests_did(GUEST_ROUNDS))) {
        look(&sight);
        keep(&sight);
        rounds_seen++;
    }
    for (int guest = 0; guest < GUESTS; guest++) {
        guest_rounds[guest] = load(&all()->rounds[guest]) - guest_rounds[guest];
    }
}

/* Afterwards nothing else prints: the monitor runs before the server on its processor. */
static void end_others(void)
{
    store(&all()->must_end, 1);
    for (int guest = 0; guest < GUESTS; guest++) {
        while (!load(&all()->has_ended[guest])) {
        }
    }
    microkit_ppcall(ACTIVE, microkit_msginfo_new(0, 1));
}

static void print_sight(const struct sight *sight)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "SAW");
    for (int part = 0; part < PARTS; part++) {
        text_add(&line, " ");
        text_add(&line, names[part]);
        text_add(&line, "=");
        text_add_hexadecimal(&line, sight->parts[part]);
    }
    text_add(&line, "\n");
    print(text_terminated(&line));
}

static void print_rounds(void)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "LOOKED ");
    text_add_decimal(&line, rounds_seen);
    text_add(&line, " times, guests worked");
    for (int guest = 0; guest < GUESTS; guest++) {
        text_add(&line, " ");
        text_add_decimal(&line, guest_rounds[guest]);
    }
    text_add(&line, " times\n");
    print(text_terminated(&line));
}

static void guests_work_meanwhile(void)
{
    for (int guest = 0; guest < GUESTS; guest++) {
        CHECK(BUSY ? guest_rounds[guest] >= GUEST_ROUNDS : guest_rounds[guest] == 0);
    }
}

/* A declared channel shows. */
static void every_round_is_the_same(void)
{
#if !defined(CHANNEL_signal) && !defined(CHANNEL_server)
    CHECK_EQUAL(sights_seen, 1);
#endif
}

static void registers_outlast_the_rounds(void)
{
    for (seL4_Word i = 0; i < sights_seen; i++) {
        CHECK_EQUAL(sights[i].parts[REGISTERS], 1);
    }
}

void init(void)
{
    observe();
    end_others();
    print_rounds();
    for (seL4_Word i = 0; i < sights_seen; i++) {
        print_sight(&sights[i]);
    }
    RUN(guests_work_meanwhile);
    RUN(every_round_is_the_same);
    RUN(registers_outlast_the_rounds);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
