/* A switch preserves the callee-saved registers, and with LIBMICROKITCO_OWN_ROUNDING the floating-point control words. */

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

#if defined(__x86_64__) && !defined(LIMEN_CO_USES_LIBCO)
/* Rounding upwards: in mxcsr, and for the x87 unit. */
#define MXCSR_UP 0x5f80u
#define X87_UP 0x0b7f
#define MXCSR_USUAL 0x1f80u
#define X87_USUAL 0x037f
/* Bits of mxcsr that calls preserve. */
#define MXCSR_CONTROL 0xffc0u

static unsigned int mxcsr(void)
{
    return __builtin_ia32_stmxcsr() & MXCSR_CONTROL;
}

static unsigned int x87_control(void)
{
    unsigned short control;
    __asm__ volatile ("fnstcw %0" : "=m"(control));
    return control;
}

static void set_rounding(unsigned int vectors, unsigned short x87)
{
    __builtin_ia32_ldmxcsr(vectors);
    __asm__ volatile ("fldcw %0" : : "m"(x87));
}

static void round_up(void)
{
    set_rounding(MXCSR_UP, X87_UP);
    microkit_cothread_yield();
    CHECK_EQUAL(mxcsr(), MXCSR_UP);
    CHECK_EQUAL(x87_control(), X87_UP);
}

/* Runs after the other has changed the rounding. */
static void expect_rounding(void)
{
    unsigned int vectors = LIMEN_CO_OWN_ROUNDING ? MXCSR_USUAL : MXCSR_UP;
    unsigned int x87 = LIMEN_CO_OWN_ROUNDING ? X87_USUAL : X87_UP;
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(mxcsr(), vectors);
        CHECK_EQUAL(x87_control(), x87);
        microkit_cothread_yield();
    }
}

static void rounding_is_shared_unless_each_thread_has_its_own(void)
{
    test_start();
    microkit_cothread_t handle;
    microkit_cothread_spawn(round_up, true, &handle, 0);
    microkit_cothread_spawn(expect_rounding, true, &handle, 0);
    microkit_cothread_run();
    CHECK_EQUAL(mxcsr(), LIMEN_CO_OWN_ROUNDING ? MXCSR_USUAL : MXCSR_UP);
    CHECK_EQUAL(x87_control(), LIMEN_CO_OWN_ROUNDING ? X87_USUAL : X87_UP);
    set_rounding(MXCSR_USUAL, X87_USUAL);
}
#endif

int main(void)
{
    RUN(registers_survive_switches);
    RUN(stacks_are_aligned);
#if defined(__x86_64__) && !defined(LIMEN_CO_USES_LIBCO)
    if (LIMEN_CO_HAS_FPU) {
        RUN(rounding_is_shared_unless_each_thread_has_its_own);
    }
#endif
    return test_end("switch");
}
