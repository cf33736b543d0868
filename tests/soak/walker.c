/* Crosses to other processors at random, and compares its registers and its memory. Its keeper stops, resumes and restarts it at
 * any time. What has to survive a restart is in shared memory. */

#include <limen.h>
#include <limen/static_key.h>

#include "shared.h"
#include "own_fpu.h"
#include "held.h"
#include "life.h"
#include "random.h"
#include "test.h"

seL4_Word shared;

/* Channels. `hold_signal` and `hold_call` use 1 and 2. */
#define TESTER 0
#define KEEPER 1
#define FIRST_SERVER 3
#define QUESTION 20
#define ANSWER 24
/* The key that all walkers switch. */
#define KEY 0

/* Words of a message. */
#define MOST_WORDS 120

#define MEMORY_WORDS 512

static LIMEN_STATIC_KEY_FALSE(walked);
static seL4_Word memory[MEMORY_WORDS];
static seL4_Word memory_sum;
static struct held held;
/* The walker whose answer this one waits for, and whether it has come. */
static seL4_Word awaited;
static seL4_Word has_come;

static struct walker *own(void)
{
    return &all()->walkers[own_number()];
}

static void fill_memory(void)
{
    memory_sum = 0;
    for (seL4_Word i = 0; i < MEMORY_WORDS; i++) {
        memory[i] = random_word();
        memory_sum += memory[i] * (i + 1);
    }
}

static void check_memory(void)
{
    seL4_Word sum = 0;
    for (seL4_Word i = 0; i < MEMORY_WORDS; i++) {
        sum += memory[i] * (i + 1);
    }
    own()->wrong_memory += sum != memory_sum;
    fill_memory();
}

static void signal_walker(seL4_Word walker, microkit_channel first)
{
    count(&own()->signalled[walker]);
    microkit_notify(first + (microkit_channel)walker);
}

/* Sees another walker's questions and answers them. */
static void see(seL4_Word walker, int answers_again)
{
    seL4_Word number = load(&all()->walkers[walker].asked[own_number()]);
    if (number != load(&own()->seen[walker]) || answers_again) {
        store(&own()->seen[walker], number);
        signal_walker(walker, ANSWER);
    }
}

static void handle(seL4_Word signals)
{
    for (seL4_Word walker = 0; walker < WALKERS; walker++) {
        seL4_Word question = signals >> (QUESTION + walker) & 1;
        seL4_Word answer = signals >> (ANSWER + walker) & 1;
        own()->received[walker] += question + answer;
        if (question) {
            see(walker, 0);
        }
        has_come |= answer && walker == awaited;
    }
}

static seL4_Word another_walker(void)
{
    return (own_number() + 1 + random_below(WALKERS - 1)) % WALKERS;
}

static void ask(seL4_Word walker)
{
    count(&own()->asked[walker]);
    signal_walker(walker, QUESTION);
}

/* Asks and waits for an answer that came after the question was seen. */
static void ask_and_wait(seL4_Word walker)
{
    awaited = walker;
    has_come = 0;
    ask(walker);
    seL4_Word number = load(&own()->asked[walker]);
    fpu_write();
    do {
        handle(wait_for_signals());
    } while (!has_come || load(&all()->walkers[walker].seen[own_number()]) != number);
    own()->wrong_fpu += fpu_differs();
}

static void call(seL4_Word server)
{
    seL4_Word number = load(&own()->answered[server]) + 1;
    seL4_Word words = random_below(4) ? random_below(8) : random_below(MOST_WORDS + 1);
    for (seL4_Word i = 0; i < words; i++) {
        microkit_mr_set((seL4_Uint8)i, word_of(own_number(), number, i));
    }
    fpu_write();
    microkit_msginfo info = microkit_ppcall(FIRST_SERVER + (microkit_channel)server,
                                            microkit_msginfo_new(number, (seL4_Uint16)words));
    own()->wrong_fpu += fpu_differs();
    seL4_Word is_wrong = microkit_msginfo_get_label(info) != number + 1 || microkit_msginfo_get_count(info) != words;
    for (seL4_Word i = 0; i < words; i++) {
        is_wrong |= microkit_mr_get((seL4_Uint8)i) != answer_of(word_of(own_number(), number, i));
    }
    own()->wrong_answers += is_wrong;
    store(&own()->answered[server], number);
}

static void hold_registers(hold_t hold, seL4_Word used)
{
    held_fill(&held, random_word());
    hold(&held);
    own()->wrong_registers += held_count_changed(&held, used);
    count(&own()->held);
}

static void poke(void)
{
    count(&own()->pokes);
    hold_registers(hold_signal, USED_BY_SIGNAL);
}

/* Faults until the keeper has seen it. */
static void fault_until_seen(void)
{
    seL4_Word number = load(&own()->faults);
    while (load(&all()->keepers[own_number()].faults) != number) {
        *(volatile seL4_Word *)NOWHERE_OF(number) = 1;
    }
}

static void fault_now(void)
{
    count(&own()->faults);
    fault_until_seen();
}

static void meet_undefined_instruction(void)
{
    hold_registers(hold_fault, USED_BY_NOTHING);
    count(&own()->undefined);
}

/* A stop releases the hold on the key, so a switch shows something only if there was none. */
static void switch_key(void)
{
    const seL4_Word *stops = &all()->keepers[own_number()].stops;
    seL4_Word before = load(stops);
    limen_key_state_t state;
    seL4_Word is_wrong = limen_key_inc(KEY) || !limen_static_branch_unlikely(walked) || limen_key_read(KEY, &state) ||
                         !state.enabled || state.own != 1 || state.count > WALKERS;
    is_wrong |= limen_key_dec(KEY) != seL4_NoError;
    own()->wrong_keys += is_wrong && load(stops) == before;
    count(&own()->switched);
}

static void act(void)
{
    switch (random_below(20)) {
    case 0:
    case 1:
    case 2:
        ask_and_wait(another_walker());
        break;
    case 3:
    case 4:
        for (seL4_Word times = random_below(20); times > 0; times--) {
            ask(another_walker());
        }
        break;
    case 5:
        hold_registers(hold_call, USED_BY_CALL);
        break;
    case 6:
        hold_registers(hold_long_call, USED_BY_CALL);
        break;
    case 7:
    case 8:
    case 9:
        poke();
        break;
    case 10:
        fault_now();
        break;
    case 11:
        meet_undefined_instruction();
        break;
    case 12:
        check_memory();
        break;
    case 13:
        switch_key();
        break;
    default:
        call(random_below(SERVERS));
        break;
    }
}

/* Nothing of this walker is under way afterwards. */
static void finish(void)
{
    while (load(&all()->keepers[own_number()].pokes) != load(&own()->pokes)) {
        count(&own()->heartbeat);
        handle(poll_signals());
        seL4_Yield();
    }
    for (seL4_Word server = 0; server < SERVERS; server++) {
        call(server);
    }
    for (seL4_Word other = 1; other < WALKERS; other++) {
        ask_and_wait((own_number() + other) % WALKERS);
    }
    check_memory();
    store(&own()->is_done, 1);
    microkit_notify(TESTER);
    for (;;) {
        handle(wait_for_signals());
    }
}

static void walk(void)
{
    while (load(&own()->rounds) < ROUNDS) {
        act();
        handle(poll_signals());
        count(&own()->heartbeat);
        count(&own()->rounds);
        if (load(&own()->rounds) % 128 == 0) {
            microkit_notify(TESTER);
        }
    }
    finish();
}

/* A restart can have lost signals that were taken but not handled, and signals and faults that were counted but did not happen. */
static void begin_again(void)
{
    count(&own()->lives);
    fill_memory();
    for (seL4_Word other = 1; other < WALKERS; other++) {
        seL4_Word walker = (own_number() + other) % WALKERS;
        see(walker, 1);
        signal_walker(walker, QUESTION);
    }
    if (load(&own()->pokes) != load(&all()->keepers[own_number()].pokes)) {
        microkit_notify(KEEPER);
    }
    fault_until_seen();
    walk();
}

void init(void)
{
    random_diverge(own_number());
    fill_memory();
    store(&own()->entry, (seL4_Word)begin_again);
    microkit_notify(KEEPER);
    while (!load(&all()->keepers[own_number()].is_ready)) {
    }
    walk();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
