/* Puts items into a queue of one item, under each policy. A consumer of the same priority takes them.
 *
 * fpu_sync: the first read is the waker's, right before it signals the sleeper's condition variable; the second is the
 * sleeper's, when it has left its waiting loop. Between them lie a notification of a thread of the same priority, which
 * does not switch, the release of the lock, the waker's next round up to its own wait, which switches, and the sleeper's
 * return with the lock and a true condition. The condition is a comparison of floating-point numbers or integers
 * (build). Both may use the unit or neither (fpu). */

#include "policies.h"
#include "queue.h"

/* Slots of the description. */
#define OWN_THREAD microkit_cspace_root_slot_to_cptr(1)
#define CONSUMER_THREAD microkit_cspace_root_slot_to_cptr(2)

seL4_Word queue_base = 1;

static struct samples to_producer;
static struct samples to_consumer;
static number_t next;

static int produce(struct queue *queue)
{
    lock_acquire(&queue->lock);
    while (queue->items >= CAPACITY) {
        condition_wait(&queue->not_full, NOT_FULL, &queue->lock);
    }
    seL4_Word after = limen_counter();
    samples_add(&to_producer, after - queue->consumed);
    int more = samples_add(&to_consumer, queue->to_consumer);
    queue->items += 1;
    next += 1;
    queue->item = next;
    queue->produced = limen_counter();
    condition_signal(&queue->not_empty, NOT_EMPTY);
    lock_release(&queue->lock);
    return more;
}

static seL4_Word saves(void)
{
    limen_fpu_counters_t counters;
    bench_check(limen_fpu_counters(&counters) == seL4_NoError, "the counters were not read");
    return counters.saves;
}

/* `moves`: whether each of the two switches of a round saves registers. */
static void measure(int policy, int moves, const char *of_producer, const char *of_consumer)
{
    samples_start(&to_producer);
    samples_start(&to_consumer);
    seL4_Word before = saves();
    while (produce(queue())) {
    }
    seL4_Word saved = saves() - before;
    bench_check(moves ? saved >= 2 * (ROUNDS - 1) : !saved, "registers moved too seldom or too often");
    print_under(&to_producer, policy, "fpu_sync", of_producer);
    print_under(&to_consumer, policy, "fpu_sync", of_consumer);
}

static void allow(seL4_Word allowed)
{
    bench_check(!seL4_TCB_Set_Flags(CONSUMER_THREAD, 1, !allowed), "the consumer's flag was not changed");
    bench_check(!seL4_TCB_Set_Flags(OWN_THREAD, 1, !allowed), "a flag was not changed");
}

static void measure_under(int policy)
{
    int moves = BUILD_HAS_FP || policy != LIMEN_FPU_FAULT_LAZY;
    choose_policy(policy);
    measure(policy, moves, " to=producer fpu=on" ROW_BUILD, " to=consumer fpu=on" ROW_BUILD);
    if (!BUILD_HAS_FP) {
        allow(0);
        measure(policy, 0, " to=producer fpu=off" ROW_BUILD, " to=consumer fpu=off" ROW_BUILD);
        allow(1);
    }
}

void init(void)
{
    for (int policy = 0; policy < POLICIES; policy++) {
        measure_under(policy);
    }
    bench_check(!queue()->wrong, "an item was not what the producer had made");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
