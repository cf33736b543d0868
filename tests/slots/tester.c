/* Loads its domain in several ways, and compares when the slots of the watched domain began and ended meanwhile. */

#include <limen.h>

#include "log.h"
#include "print.h"
#include "test.h"
#include "text.h"
#include "tick.h"

/* Set by the tool. */
seL4_Word log;

#define ECHO 0

/* Children. */
#define SPINNER 1
#define YIELDER 2
#define CALLER 3
#define SHARE 4
/* Its child wipes. */
#define HEALER 5

/* Slots that are compared for each load, and loads. */
#define SLOTS 12
#define MOST_LOADS 6
/* Instructions by which a load may move the beginning of a slot: the timer's interrupt has to wait for the end of a
 * system call, and what is put away is not the same. */
#define MOST_MOVED (1000l + 2 * TICK)
/* Instructions by which it may move the end of one: none but what the watcher takes to look at the counter. The timer counts
 * twice, because the length of the schedule is measured, too. */
#define MOST_CUT (40l + 2 * TICK)
/* Some of the wipes that are waited for are not over sooner: else nothing was wiped. */
#define LEAST_WIPE 1000l

/* What loaded the domain from which slot on. */
struct load {
    const char *name;
    seL4_Word first;
};

static struct load loads[MOST_LOADS];
static seL4_Word load_count;

static volatile struct log *seen(void)
{
    return (volatile struct log *)log;
}

/* Sleeps until so many more slots have begun. Each sleep is a period of this program's budget. */
static seL4_Word pass_slots(seL4_Word slots)
{
    seL4_Word first = seen()->slots + 1;
    while (seen()->slots < first + slots) {
        seL4_Yield();
    }
    return first;
}

static void watch(const char *name)
{
    loads[load_count++] = (struct load){ name, pass_slots(SLOTS) };
}

static void watch_with(const char *name, seL4_Word child)
{
    seL4_TCB_Resume(BASE_TCB_CAP + child);
    watch(name);
    seL4_TCB_Suspend(BASE_TCB_CAP + child);
}

/* How much later than the schedule has it a time lies, if the first one was on time. The length of the schedule is what
 * all loads together took, from the end of a slot to the end of another. */
static long lateness(const volatile seL4_Word *times, seL4_Word slot)
{
    seL4_Word first = loads[0].first, last = loads[load_count - 1].first + SLOTS - 1;
    seL4_Word length = seen()->end[last % LOG_SLOTS] - seen()->end[first % LOG_SLOTS];
    seL4_Word passed = times[slot % LOG_SLOTS] - times[first % LOG_SLOTS];
    return (long)(passed - length * (slot - first) / (last - first));
}

struct range {
    long min, max;
};

static struct range range_of(const volatile seL4_Word *times, const struct load *load)
{
    struct range range = { lateness(times, load->first), lateness(times, load->first) };
    for (seL4_Word slot = load->first; slot < load->first + SLOTS; slot++) {
        long late = lateness(times, slot);
        range.min = late < range.min ? late : range.min;
        range.max = late > range.max ? late : range.max;
    }
    return range;
}

static void add_signed(struct text *line, long number)
{
    text_add(line, number < 0 ? " -" : " +");
    text_add_decimal(line, (seL4_Word)(number < 0 ? -number : number));
}

/* Shows by how much each load has moved something, and gives the most. */
static long most_moved(const volatile seL4_Word *times, const char *what)
{
    struct range all = { 0, 0 };
    for (seL4_Word i = 0; i < load_count; i++) {
        struct range range = range_of(times, &loads[i]);
        all.min = range.min < all.min ? range.min : all.min;
        all.max = range.max > all.max ? range.max : all.max;
        struct text line = TEXT_EMPTY;
        text_add(&line, "SLOT ");
        text_add(&line, what);
        text_add(&line, " ");
        text_add(&line, loads[i].name);
        add_signed(&line, range.min);
        add_signed(&line, range.max);
        text_add(&line, "\n");
        print(text_terminated(&line));
    }
    return all.max - all.min;
}

/* One entry into the kernel takes as long as any may; between wipes there is little else. */
static void a_slot_begins_within_the_longest_entry_into_the_kernel(void)
{
    load_count = 0;
    watch_with("wipes", HEALER);
    watch("nothing");
    long moved = most_moved(seen()->begin, "begins");
    CHECK(moved > LEAST_WIPE);
    CHECK(moved <= LONGEST_ENTRY + MOST_MOVED);
}

static void load_the_domain(void)
{
    watch_with("spinner", SPINNER);
    watch_with("yielder", YIELDER);
    watch_with("caller", CALLER);
    watch_with("share", SHARE);
    seL4_TCB_Resume(BASE_TCB_CAP + SHARE);
    seL4_TCB_Resume(BASE_TCB_CAP + SPINNER);
    watch_with("all", CALLER);
    seL4_TCB_Suspend(BASE_TCB_CAP + SHARE);
    seL4_TCB_Suspend(BASE_TCB_CAP + SPINNER);
    watch("nothing");
}

static void no_load_moves_a_slot_by_more_than_an_entry_into_the_kernel(void)
{
    load_the_domain();
    CHECK(most_moved(seen()->begin, "begins") <= MOST_MOVED);
}

static void no_load_moves_the_end_of_a_slot(void)
{
    CHECK(most_moved(seen()->end, "ends") <= MOST_CUT);
}

/* Whether a time lies in a slot of the watched domain. */
static int is_in_slot(seL4_Word time)
{
    for (seL4_Word slot = seen()->slots - 10; slot + 1 < seen()->slots; slot++) {
        if (seen()->begin[slot % LOG_SLOTS] - MOST_MOVED <= time && time <= seen()->end[(slot + 1) % LOG_SLOTS]) {
            return 1;
        }
    }
    return 0;
}

static void a_signal_to_another_domain_waits_for_its_slot(void)
{
    seL4_Word before = limen_counter();
    microkit_notify(ECHO);
    CHECK(limen_counter() - before < 10000);
    CHECK(seen()->echo < before);
    pass_slots(2);
    CHECK(seen()->echo > before && is_in_slot(seen()->echo));
}

static void a_call_to_another_domain_is_served_in_its_slot_and_answered_in_the_next_of_the_caller(void)
{
    seL4_Word before = limen_counter();
    microkit_msginfo answer = microkit_ppcall(ECHO, microkit_msginfo_new(9, 0));
    seL4_Word after = limen_counter(), served = seen()->echo;
    CHECK_EQUAL(microkit_msginfo_get_label(answer), 9);
    pass_slots(2);
    CHECK(before < served && served < after);
    CHECK(is_in_slot(served) && !is_in_slot(before) && !is_in_slot(after));
}

void init(void)
{
    for (seL4_Word child = SPINNER; child <= HEALER; child++) {
        seL4_TCB_Suspend(BASE_TCB_CAP + child);
    }
    RUN(no_load_moves_a_slot_by_more_than_an_entry_into_the_kernel);
    RUN(no_load_moves_the_end_of_a_slot);
    RUN(a_slot_begins_within_the_longest_entry_into_the_kernel);
    RUN(a_signal_to_another_domain_waits_for_its_slot);
    RUN(a_call_to_another_domain_is_served_in_its_slot_and_answered_in_the_next_of_the_caller);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
