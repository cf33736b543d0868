/* Calls servers on other processors, and controls a child on another one. Runs on processor 0. */

#include "shared.h"
#include "test.h"

seL4_Word shared;

#define CHILD 1
#define FIRST_CLIENT 10

static void check_call(microkit_channel server)
{
    for (seL4_Word words = 0; words <= 120; words = words < 6 ? words + 1 : words + 38) {
        for (seL4_Word i = 0; i < words; i++) {
            microkit_mr_set(i, i + 100);
        }
        microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(words, (seL4_Uint16)words));
        CHECK_EQUAL(microkit_msginfo_get_label(answer), words + 1);
        CHECK_EQUAL(microkit_msginfo_get_count(answer), words);
        for (seL4_Word i = 0; i < words; i++) {
            CHECK_EQUAL(microkit_mr_get(i), (i + 100) * 2 + 1);
        }
    }
}

static void an_active_server_answers(void)
{
    check_call(2);
}

static void a_passive_server_answers_on_the_time_of_its_caller(void)
{
    check_call(1);
}

static void time_crosses_twice_and_comes_back(void)
{
    for (int times = 0; times < ROUNDS; times++) {
        check_call(3);
    }
}

/* Receives the message of a child's fault, without the event loop. Returns its label. */
static seL4_Word receive_fault(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t info = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    return seL4_MessageInfo_get_label(info);
}

static void a_fault_elsewhere_reaches_the_parent(void)
{
    store(&all()->order, FAULT);
    CHECK_EQUAL(receive_fault(), seL4_Fault_VMFault);
    CHECK_EQUAL(seL4_GetMR(seL4_VMFault_Addr), NOWHERE);
    CHECK_EQUAL(seL4_GetMR(seL4_VMFault_PrefetchFault), 0);
}

static void a_reply_resumes_the_child_which_faults_again(void)
{
    seL4_Word count = load(&all()->count);
    for (int times = 0; times < 100; times++) {
        seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
        CHECK_EQUAL(receive_fault(), seL4_Fault_VMFault);
        CHECK_EQUAL(seL4_GetMR(seL4_VMFault_Addr), NOWHERE);
    }
    CHECK_EQUAL(load(&all()->count), count);
}

static void wait_for_count_above(seL4_Word count)
{
    while (load(&all()->count) <= count) {
    }
}

static void a_child_that_waits_for_its_reply_is_restarted(void)
{
    seL4_Word lives = load(&all()->lives);
    store(&all()->order, COUNT);
    microkit_pd_restart(CHILD, 0x200000);
    while (load(&all()->lives) == lives) {
    }
    wait_for_count_above(10);
    CHECK_EQUAL(load(&all()->lives), lives + 1);
}

static void a_running_child_is_stopped_and_resumed(void)
{
    for (int times = 0; times < 50; times++) {
        wait_for_count_above(load(&all()->count));
        microkit_pd_stop(CHILD);
        seL4_Word count = load(&all()->count);
        for (volatile int delay = 0; delay < 1000; delay++) {
        }
        CHECK_EQUAL(load(&all()->count), count);
        microkit_pd_resume(CHILD);
        wait_for_count_above(count);
    }
}

static void a_running_child_is_restarted(void)
{
    for (int times = 0; times < 50; times++) {
        seL4_Word lives = load(&all()->lives);
        microkit_pd_restart(CHILD, 0x200000);
        while (load(&all()->lives) == lives) {
        }
        wait_for_count_above(0);
        CHECK_EQUAL(load(&all()->lives), lives + 1);
    }
    microkit_pd_stop(CHILD);
}

static void clients_of_all_processors_call_one_passive_server_at_once(void)
{
    store(&all()->answered, 0);
    for (seL4_Word client = 0; client < CLIENTS; client++) {
        microkit_notify((microkit_channel)(FIRST_CLIENT + client));
    }
    seL4_Word done = 0;
    while (done != ((1ul << CLIENTS) - 1) << FIRST_CLIENT) {
        seL4_Word badge;
        seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        done |= badge;
    }
    CHECK_EQUAL(load(&all()->answered), CLIENTS * CALLS);
    for (seL4_Word client = 0; client < CLIENTS; client++) {
        CHECK_EQUAL(all()->wrong[client], 0);
    }
}

void init(void)
{
    RUN(an_active_server_answers);
    RUN(a_passive_server_answers_on_the_time_of_its_caller);
    RUN(time_crosses_twice_and_comes_back);
    RUN(a_fault_elsewhere_reaches_the_parent);
    RUN(a_reply_resumes_the_child_which_faults_again);
    RUN(a_child_that_waits_for_its_reply_is_restarted);
    RUN(a_running_child_is_stopped_and_resumed);
    RUN(a_running_child_is_restarted);
    RUN(clients_of_all_processors_call_one_passive_server_at_once);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
