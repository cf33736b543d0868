/* A switch preserves the callee-saved registers, and on x86 the floating-point control words. */

#include "test.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* More values live across a switch than there are registers, so every callee-saved register holds one. */
#define VALUES 24

static unsigned long integer_sum(unsigned long seed)
{
    unsigned long values[VALUES];
    for (unsigned long i = 0; i < VALUES; i++) {
        values[i] = seed * (i + 3);
        __asm__ volatile ("" : "+r"(values[i]));
    }
    microkit_cothread_yield();
    unsigned long sum = 0;
    for (unsigned long i = 0; i < VALUES; i++) {
        sum += values[i] * (i + 1);
    }
    return sum;
}

static double floating_sum(double seed)
{
    double a = seed, b = a * 3, c = b + a, d = c * b, e = d - a, f = e * 0.5, g = f + b, h = g * c;
    double i = h - d, j = i * 0.25, k = j + e, l = k * f;
    microkit_cothread_yield();
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12;
}

static unsigned long integers[4];
static double floats[4];

static void compute(void)
{
    uintptr_t number = 0;
    microkit_cothread_my_arg(&number);
    for (int round = 0; round < 10; round++) {
        integers[number] += integer_sum(number + 1);
        floats[number] += floating_sum((double)number + 0.5);
    }
}

static void registers_survive_switches(void)
{
    unsigned long expected_integers[4] = { 0 };
    double expected_floats[4] = { 0 };
    memset(integers, 0, sizeof(integers));
    memset(floats, 0, sizeof(floats));
    test_start();
    for (uintptr_t i = 0; i < 4; i++) {
        for (int round = 0; round < 10; round++) {
            expected_integers[i] += integer_sum(i + 1);
            expected_floats[i] += floating_sum((double)i + 0.5);
        }
    }
    for (uintptr_t i = 0; i < 4; i++) {
        microkit_cothread_t handle;
        microkit_cothread_spawn(compute, true, &handle, i);
    }
    microkit_cothread_run();
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(integers[i], expected_integers[i]);
        CHECK(floats[i] == expected_floats[i]);
    }
}

static int is_aligned;

static void look_at_stack(void)
{
    volatile long double aligned = 1;
    is_aligned = ((uintptr_t)&aligned & 15) == 0 && ((uintptr_t)__builtin_frame_address(0) & 15) == 0;
}

static void stacks_are_aligned(void)
{
    test_start();
    microkit_cothread_t handle;
    microkit_cothread_spawn(look_at_stack, true, &handle, 0);
    microkit_cothread_run();
    CHECK(is_aligned);
}

#if defined(__x86_64__)
static unsigned int mxcsr(void)
{
    return __builtin_ia32_stmxcsr();
}

static void round_up(void)
{
    __builtin_ia32_ldmxcsr(0x5f80);
    microkit_cothread_yield();
    CHECK_EQUAL(mxcsr(), 0x5f80);
}

static void round_as_usual(void)
{
    CHECK_EQUAL(mxcsr(), 0x1f80);
    microkit_cothread_yield();
    CHECK_EQUAL(mxcsr(), 0x1f80);
}

static void each_cothread_has_its_own_rounding(void)
{
    test_start();
    microkit_cothread_t handle;
    microkit_cothread_spawn(round_up, true, &handle, 0);
    microkit_cothread_spawn(round_as_usual, true, &handle, 0);
    microkit_cothread_run();
    CHECK_EQUAL(mxcsr() & ~0x3fu, 0x1f80);
}
#endif

int main(void)
{
    RUN(registers_survive_switches);
    RUN(stacks_are_aligned);
#if defined(__x86_64__)
    if (LIMEN_CO_HAS_FPU) {
        RUN(each_cothread_has_its_own_rounding);
    }
#endif
    return test_end("switch");
}
