/* Records everything that it can observe of the other domain, slot by slot, and prints it: the lengths of its slots and of
 * the pauses between them, the cost of a floating-point use, and the cost and result of a call. The suite compares the
 * output of systems that differ only in the other domain's work. */

#include <limen.h>

#include "print.h"
#include "state.h"
#include "test.h"
#include "text.h"

#define ECHO 0

/* The number of observed slots, and the first one, chosen after all one-time work. */
#define SLOTS 12
#define FIRST_SLOT 2
/* A gap of this many instructions can only be a slot of the other domain. */
#define JUMP 500000ul

struct slot {
    seL4_Word pause;
    seL4_Word length;
    seL4_Word use;
    seL4_Word call;
    seL4_Word answer;
    int is_right;
};

static struct slot seen[FIRST_SLOT + SLOTS];
static struct state written;
static struct state found;

/* Reads and writes all registers. The first use in a slot may have to wait for them. */
static void look_at_registers(struct slot *slot)
{
    seL4_Word before = limen_counter();
    state_read(&found);
    slot->use = limen_counter() - before;
    slot->is_right = state_equal(&written, &found);
    state_fill(&written);
    state_write(&written);
}

static void look_at_echo(struct slot *slot, seL4_Word question)
{
    microkit_mr_set(0, question);
    seL4_Word before = limen_counter();
    microkit_ppcall(ECHO, microkit_msginfo_new(0, 1));
    slot->call = limen_counter() - before;
    slot->answer = microkit_mr_get(0);
}

/* Waits for the end of a slot, and returns the time of the first read in the next. */
static seL4_Word sleep(seL4_Word begin, struct slot *ending, struct slot *beginning)
{
    seL4_Word last = limen_counter();
    for (;;) {
        seL4_Word now = limen_counter();
        if (now - last > JUMP) {
            ending->length = last - begin;
            beginning->pause = now - last;
            return now;
        }
        last = now;
    }
}

static void look(void)
{
    seL4_Word begin = limen_counter();
    for (int i = 1; i < FIRST_SLOT + SLOTS; i++) {
        begin = sleep(begin, &seen[i - 1], &seen[i]);
        look_at_registers(&seen[i]);
        look_at_echo(&seen[i], (seL4_Word)i);
    }
    struct slot last;
    sleep(begin, &seen[FIRST_SLOT + SLOTS - 1], &last);
}

static void add(struct text *line, const char *what, seL4_Word number)
{
    text_add(line, what);
    text_add_decimal(line, number);
}

static void print_slots(void)
{
    for (int i = FIRST_SLOT; i < FIRST_SLOT + SLOTS; i++) {
        struct text line = TEXT_EMPTY;
        add(&line, "SLOT pause=", seen[i].pause);
        add(&line, " length=", seen[i].length);
        add(&line, " use=", seen[i].use);
        add(&line, " call=", seen[i].call);
        add(&line, " answer=", seen[i].answer);
        text_add(&line, "\n");
        print(text_terminated(&line));
    }
}

static void registers_outlast_the_slots_of_others(void)
{
    for (int i = FIRST_SLOT; i < FIRST_SLOT + SLOTS; i++) {
        CHECK(seen[i].is_right);
    }
}

static void answers_come_in_every_slot(void)
{
    for (int i = FIRST_SLOT; i < FIRST_SLOT + SLOTS; i++) {
        CHECK_EQUAL(seen[i].answer, (seL4_Word)i + 1);
    }
}

void init(void)
{
    limen_fpu_set_policy(POLICY, OPTIONS);
    state_fill(&written);
    state_write(&written);
    look();
    print_slots();
    RUN(registers_outlast_the_slots_of_others);
    RUN(answers_come_in_every_slot);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
