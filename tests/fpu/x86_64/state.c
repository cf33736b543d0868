#include "state.h"
#include "random.h"

/* Words of a state: the area of FXSAVE, then the upper halves of AVX registers. Source: Intel SDM, volume
 * 1, table 10-2. */
#define CONTROL 0
#define MXCSR 3
#define FIRST_X87 4
#define FIRST_XMM 20
#define END_OF_XMM 52
#define FIRST_YMM 64
#define END_OF_YMM STATE_WORDS

/* Rounding to nearest and below, all exceptions masked; all x87 registers in use. */
#define CONTROL_FILLED(word) (0x37ful | ((word) & 0xc00ul) | 0xff0000ul << 16)
#define CONTROL_INITIAL 0x37ful
#define CONTROL_MASK 0x0000ffff0000fffful
/* Flags, denormals are zero, rounding, flush to zero; all exceptions masked. */
#define MXCSR_FILLED(word) (0x1f80ul | ((word) & 0xe07ful))
#define MXCSR_INITIAL 0x1f80ul
#define MXCSR_MASK 0xfffffffful
/* An x87 register is ten bytes of sixteen. */
#define X87_MASK 0xfffful

/* Moves the upper half of every AVX register. */
#define EACH_UPPER_HALF(move)                                                                                      \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t" move "\n\t.endr"

#define HAS_OSXSAVE (1u << 27)
#define HAS_AVX (1u << 28)

/* True if the processor has registers that FXSAVE does not save. */
static int is_wide(void)
{
    seL4_Uint32 eax = 1, ebx, ecx, edx;
    __asm__ volatile ("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "2"(0));
    return (ecx & HAS_OSXSAVE) && (ecx & HAS_AVX);
}

void state_fill(struct state *state)
{
    for (int i = 0; i < STATE_WORDS; i++) {
        state->words[i] = 0;
    }
    state->words[CONTROL] = CONTROL_FILLED(random_word());
    state->words[MXCSR] = MXCSR_FILLED(random_word());
    for (int i = FIRST_X87; i < END_OF_XMM; i++) {
        state->words[i] = random_word() & (i < FIRST_XMM && i % 2 ? X87_MASK : ~0ul);
    }
    for (int i = FIRST_YMM; is_wide() && i < END_OF_YMM; i++) {
        state->words[i] = random_word();
    }
}

void state_initial(struct state *state)
{
    for (int i = 0; i < STATE_WORDS; i++) {
        state->words[i] = 0;
    }
    state->words[CONTROL] = CONTROL_INITIAL;
    state->words[MXCSR] = MXCSR_INITIAL;
}

int state_equal(const struct state *a, const struct state *b)
{
    seL4_Word different = (a->words[CONTROL] ^ b->words[CONTROL]) & CONTROL_MASK;
    different |= (a->words[MXCSR] ^ b->words[MXCSR]) & MXCSR_MASK;
    for (int i = FIRST_X87; i < END_OF_YMM; i++) {
        different |= i >= END_OF_XMM && i < FIRST_YMM ? 0 : a->words[i] ^ b->words[i];
    }
    return !different;
}

/* XSAVE and XRSTOR are unsuitable, because the emulator executes them while the unit is off. */
void state_write(const struct state *state)
{
    __asm__ volatile ("fxrstor64 (%0)" : : "r"(state->words) : "memory");
    if (is_wide()) {
        __asm__ volatile (EACH_UPPER_HALF("vinsertf128 $1, 16 * \\n(%0), %%ymm\\n, %%ymm\\n")
                          : : "r"(&state->words[FIRST_YMM]) : "memory");
    }
}

void state_read(struct state *state)
{
    for (int i = 0; i < STATE_WORDS; i++) {
        state->words[i] = 0;
    }
    __asm__ volatile (".global state_first_use\nstate_first_use:\n\tfxsave64 (%0)" : : "r"(state->words) : "memory");
    if (is_wide()) {
        __asm__ volatile (EACH_UPPER_HALF("vextractf128 $1, %%ymm\\n, 16 * \\n(%0)")
                          : : "r"(&state->words[FIRST_YMM]) : "memory");
    }
}
