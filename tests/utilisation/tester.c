/* Measures a worker, which is its child, and itself. The UART program runs between tests only. */

#include <sel4/benchmark_utilisation_types.h>

#include "test.h"

#define CHANNEL 0
#define OWN_THREAD 6
#define WORKER_THREAD (BASE_TCB_CAP + 3)
#define WORKER_AT_LEAST 5000

static seL4_Word measured(seL4_CPtr thread, seL4_Word word)
{
    seL4_BenchmarkGetThreadUtilisation(thread);
    return seL4_GetMR((int)word);
}

static void let_work(void)
{
    microkit_notify(CHANNEL);
    CHECK_EQUAL(wait_for_signals(), 1 << CHANNEL);
}

static void measure_work(void)
{
    seL4_BenchmarkResetThreadUtilisation(OWN_THREAD);
    seL4_BenchmarkResetThreadUtilisation(WORKER_THREAD);
    CHECK_EQUAL(seL4_BenchmarkResetLog(), seL4_NoError);
    let_work();
    CHECK_EQUAL(seL4_BenchmarkFinalizeLog(), 0);
}

static void every_cycle_is_charged(void)
{
    measure_work();
    seL4_Word own = measured(OWN_THREAD, BENCHMARK_TCB_UTILISATION);
    seL4_Word worker = measured(WORKER_THREAD, BENCHMARK_TCB_UTILISATION);
    seL4_Word idle = measured(OWN_THREAD, BENCHMARK_IDLE_TCBCPU_UTILISATION);
    CHECK(own > 0);
    CHECK(worker > WORKER_AT_LEAST);
    CHECK_EQUAL(idle, 0);
    CHECK_EQUAL(own + worker, measured(OWN_THREAD, BENCHMARK_TOTAL_UTILISATION));
}

static void every_change_of_thread_is_counted(void)
{
    measure_work();
    CHECK_EQUAL(measured(WORKER_THREAD, BENCHMARK_TCB_NUMBER_SCHEDULES), 1);
    CHECK_EQUAL(measured(OWN_THREAD, BENCHMARK_TCB_NUMBER_SCHEDULES), 1);
    CHECK_EQUAL(measured(OWN_THREAD, BENCHMARK_TOTAL_NUMBER_SCHEDULES), 3);
    CHECK_EQUAL(measured(OWN_THREAD, BENCHMARK_IDLE_NUMBER_SCHEDULES), 0);
}

static void every_entry_into_the_kernel_is_counted(void)
{
    measure_work();
    seL4_Word own = measured(OWN_THREAD, BENCHMARK_TCB_NUMBER_KERNEL_ENTRIES);
    seL4_Word worker = measured(WORKER_THREAD, BENCHMARK_TCB_NUMBER_KERNEL_ENTRIES);
    seL4_Word kernel = measured(WORKER_THREAD, BENCHMARK_TCB_KERNEL_UTILISATION);
    /* A signal and a receive each; interrupts come on top. */
    CHECK(own >= 2);
    CHECK(worker >= 2);
    CHECK_EQUAL(own + worker, measured(OWN_THREAD, BENCHMARK_TOTAL_NUMBER_KERNEL_ENTRIES));
    CHECK(kernel > 0 && kernel < measured(WORKER_THREAD, BENCHMARK_TCB_UTILISATION));
}

static void nothing_is_measured_after_the_end(void)
{
    measure_work();
    seL4_Word worker = measured(WORKER_THREAD, BENCHMARK_TCB_UTILISATION);
    let_work();
    CHECK_EQUAL(measured(WORKER_THREAD, BENCHMARK_TCB_UTILISATION), worker);
}

static void a_thread_is_reset_alone(void)
{
    measure_work();
    seL4_BenchmarkResetThreadUtilisation(WORKER_THREAD);
    CHECK_EQUAL(measured(WORKER_THREAD, BENCHMARK_TCB_UTILISATION), 0);
    CHECK(measured(OWN_THREAD, BENCHMARK_TCB_UTILISATION) > 0);
}

static void only_threads_are_measured(void)
{
    seL4_SetMR(0, 7);
    CHECK_EQUAL(measured(LIMEN_INPUT_CAP, BENCHMARK_TCB_UTILISATION), 7);
    CHECK_EQUAL(measured(400, BENCHMARK_TCB_UTILISATION), 7);
    CHECK_EQUAL(seL4_BenchmarkSetLogBuffer(LIMEN_INPUT_CAP), seL4_IllegalOperation);
}

static void a_system_call_may_do_nothing(void)
{
    seL4_SetMR(0, 7);
    seL4_BenchmarkNullSyscall();
    CHECK_EQUAL(seL4_GetMR(0), 7);
}

void init(void)
{
    RUN(every_cycle_is_charged);
    RUN(every_change_of_thread_is_counted);
    RUN(every_entry_into_the_kernel_is_counted);
    RUN(nothing_is_measured_after_the_end);
    RUN(a_thread_is_reset_alone);
    RUN(only_threads_are_measured);
    RUN(a_system_call_may_do_nothing);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
