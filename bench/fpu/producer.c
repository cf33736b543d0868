/* Produces items for a consumer of lower priority, one at a time, under each policy.
 *
 * fpu_notified_producer: the first read is the consumer's, when it has taken an item and is about to notify; the second is
 * the producer's, when it has made the next one. Between them lie the notification, which switches, the end of the
 * producer's wait, and eight additions and stores, of floating-point numbers or integers (build). */

#include "items.h"
#include "policies.h"

#define CONSUMER 0

/* Slots of the description. */
#define OWN_THREAD microkit_cspace_root_slot_to_cptr(1)
#define CONSUMER_THREAD microkit_cspace_root_slot_to_cptr(2)

/* Memory shared with the consumer; set by the tool. */
seL4_Word items;

static struct samples samples;
static volatile number_t next;

static void make_item(struct items *shared)
{
    number_t number = next;
    for (int i = 0; i < LENGTH; i++) {
        number += 1;
        shared->numbers[i] = number;
    }
    next = number;
}

static void wait_for_consumer(void)
{
    seL4_Word channels;
    seL4_Wait(LIMEN_INPUT_CAP, &channels);
}

static void measure(int policy, const char *parameters)
{
    struct items *shared = (struct items *)items;
    next = 0;
    samples_start(&samples);
    shared->taken = limen_counter();
    int more;
    do {
        make_item(shared);
        seL4_Word after = limen_counter();
        more = samples_add(&samples, after - shared->taken);
        microkit_notify(CONSUMER);
        wait_for_consumer();
    } while (more);
    print_under(&samples, policy, "fpu_notified_producer", parameters);
}

static void allow(seL4_Word allowed)
{
    seL4_TCB_SetFlags(CONSUMER_THREAD, 1, !allowed);
    seL4_TCB_SetFlags(OWN_THREAD, 1, !allowed);
}

void init(void)
{
    for (int policy = 0; policy < POLICIES; policy++) {
        choose_policy(policy);
        measure(policy, " fpu=on" ROW_BUILD);
        if (!BUILD_HAS_FP) {
            allow(0);
            measure(policy, " fpu=off" ROW_BUILD);
            allow(1);
        }
    }
    bench_check(!((struct items *)items)->wrong, "an item was not what the producer had made");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
