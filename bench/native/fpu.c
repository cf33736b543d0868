/* Measures the switch of floating-point registers between two threads with each of the processor's instructions: run by
 * `./x bench --native`, on the developer's machine.
 *
 * One exchange saves to one area and restores from another, the next one the reverse, as between two threads that take
 * turns. Between two exchanges no register is written (kept), or one register of every component (written). A figure is the
 * fastest of many batches, in ticks of the time-stamp counter; only ratios within a run are meaningful. */

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdint.h>
#include <x86intrin.h>

#define AREA_BYTES 8192
#define PER_BATCH 64
#define BATCHES 3000

static uint8_t areas[2][AREA_BYTES] __attribute__((aligned(64)));

/* Registers that are in use. */
enum width { NONE, SSE, AVX, AVX512, WIDTHS };
static const char *const width_names[WIDTHS] = { "initial", "SSE", "AVX", "AVX-512" };
static const char *const width_words[WIDTHS] = { "none", "sse", "avx", "avx512" };

#define ALL_COMPONENTS "a"(-1), "d"(-1)
#define SAVE_BY(name, instruction)                                                                   \
    static void name(uint8_t *area)                                                                  \
    {                                                                                                \
        __asm__ volatile (instruction " (%0)" : : "r"(area), ALL_COMPONENTS : "memory");              \
    }
SAVE_BY(fxsave, "fxsave64")
SAVE_BY(xsave, "xsave64")
SAVE_BY(xsaveopt, "xsaveopt64")
SAVE_BY(xsavec, "xsavec64")
SAVE_BY(fxrstor, "fxrstor64")
SAVE_BY(xrstor, "xrstor64")

/* Sixteen AVX registers, first all saved and then all restored, or one by one. */
#define EACH(line) \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t" line "\n\t.endr\n\t"

static void separate(uint8_t *from, uint8_t *to)
{
    __asm__ volatile (EACH("vmovups %%ymm\\n, 32 * \\n(%0)") EACH("vmovups 32 * \\n(%1), %%ymm\\n")
                      : : "r"(from), "r"(to) : "memory");
}

static void interleaved(uint8_t *from, uint8_t *to)
{
    __asm__ volatile (EACH("vmovups %%ymm\\n, 32 * \\n(%0)\n\tvmovups 32 * \\n(%1), %%ymm\\n")
                      : : "r"(from), "r"(to) : "memory");
}

/* The registers that a kernel section saves: the first SSE registers. */
#define FOUR(line) ".irp n, 0, 1, 2, 3\n\t" line "\n\t.endr\n\t"
#define EIGHT(line) ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t" line "\n\t.endr\n\t"
#define SECTION(name, registers)                                                                     \
    static void name(uint8_t *from, uint8_t *to)                                                     \
    {                                                                                                \
        __asm__ volatile (registers("movups %%xmm\\n, 16 * \\n(%0)") registers("movups 16 * \\n(%1), %%xmm\\n") \
                          : : "r"(from), "r"(to) : "memory");                                        \
    }
SECTION(four, FOUR)
SECTION(eight, EIGHT)
SECTION(sixteen, EACH)

struct method {
    const char *name;
    /* In rows. */
    const char *word;
    void (*save)(uint8_t *);
    void (*load)(uint8_t *);
    void (*exchange)(uint8_t *, uint8_t *);
};

static const struct method methods[] = {
    { "FXSAVE, FXRSTOR", "fxsave", fxsave, fxrstor, 0 },
    { "XSAVE, XRSTOR", "xsave", xsave, xrstor, 0 },
    { "XSAVEOPT, XRSTOR", "xsaveopt", xsaveopt, xrstor, 0 },
    { "XSAVEC, XRSTOR", "xsavec", xsavec, xrstor, 0 },
    { "16 AVX registers, separate", "avx_16", 0, 0, separate },
    { "16 AVX registers, interleaved", "avx_16_interleaved", 0, 0, interleaved },
    { "4 SSE registers", "sse_4", 0, 0, four },
    { "8 SSE registers", "sse_8", 0, 0, eight },
    { "16 SSE registers", "sse_16", 0, 0, sixteen },
};
#define METHODS (sizeof methods / sizeof methods[0])
#define BASE 1

static void write_registers(enum width width)
{
    if (width == SSE) {
        __asm__ volatile ("pcmpeqd %xmm1, %xmm1");
    }
    /* An SSE instruction would be slow while upper halves are in use. */
    if (width >= AVX) {
        __asm__ volatile ("vpcmpeqd %xmm1, %xmm1, %xmm1\n\tvinsertf128 $1, %xmm1, %ymm1, %ymm2");
    }
    if (width >= AVX512) {
        __asm__ volatile ("vpternlogd $255, %zmm3, %zmm3, %zmm3\n\tvmovdqa64 %zmm3, %zmm17\n\tkxnorw %k1, %k1, %k1");
    }
}

/* Only the components of this width are in use. */
static void prepare(const struct method *method, enum width width)
{
    uint8_t *initial = areas[0];
    memset(areas, 0, sizeof areas);
    *(uint16_t *)initial = 0x37f;
    *(uint32_t *)(initial + 24) = 0x1f80;
    xrstor(initial);
    write_registers(width);
    for (int i = 0; method->save && i < 2; i++) {
        memset(areas[i], 0, AREA_BYTES);
        method->save(areas[i]);
    }
}

static void exchange(const struct method *method, uint8_t *from, uint8_t *to)
{
    if (method->exchange) {
        method->exchange(from, to);
    } else {
        method->save(from);
        method->load(to);
    }
}

static double fastest(const struct method *method, enum width width, int writes)
{
    uint64_t best = UINT64_MAX;
    prepare(method, width);
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t before = __rdtsc();
        for (int i = 0; i < PER_BATCH; i++) {
            if (writes) {
                write_registers(width);
            }
            exchange(method, areas[i % 2], areas[1 - i % 2]);
        }
        uint64_t spent = __rdtsc() - before;
        best = spent < best ? spent : best;
    }
    return (double)best / PER_BATCH;
}

static int widest(void)
{
    unsigned eax, ebx, ecx, edx;
    __cpuid(1, eax, ebx, ecx, edx);
    if (!(ecx & bit_AVX)) {
        return SSE;
    }
    __cpuid_count(7, 0, eax, ebx, ecx, edx);
    return ebx & bit_AVX512F ? AVX512 : AVX;
}

/* Support of XSAVEOPT and XSAVEC, as reported by the processor. */
static int has(const struct method *method)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid_count(13, 1, &eax, &ebx, &ecx, &edx)) {
        return method->save == fxsave;
    }
    return method->save == xsaveopt ? eax & 1 : method->save == xsavec ? eax & 2 : widest() >= AVX || method->save == fxsave;
}

/* A row of the record, for the exchange of registers that were written. */
static void print_row(const struct method *method, int width, double ticks)
{
    printf("ROW name=exchange method=%s in_use=%s samples=%.0f\n", method->word, width_words[width], ticks);
}

static void print_table(int writes)
{
    double base[WIDTHS], ticks[METHODS][WIDTHS];
    printf("\nexchange, registers %s: ticks, and in brackets as a part of XSAVE, XRSTOR\n%-30s", writes ? "written" : "kept", "");
    for (int width = 0; width <= widest(); width++) {
        base[width] = fastest(&methods[BASE], (enum width)width, writes);
        printf(" %16s", width_names[width]);
    }
    printf("\n");
    for (unsigned i = 0; i < METHODS; i++) {
        if (!has(&methods[i])) {
            continue;
        }
        printf("%-30s", methods[i].name);
        for (int width = 0; width <= widest(); width++) {
            ticks[i][width] = fastest(&methods[i], (enum width)width, writes);
            printf("     %5.0f (%.2f)", ticks[i][width], ticks[i][width] / base[width]);
        }
        printf("\n");
    }
    for (unsigned i = 0; writes && i < METHODS; i++) {
        for (int width = 0; has(&methods[i]) && width <= widest(); width++) {
            print_row(&methods[i], width, ticks[i][width]);
        }
    }
}

int main(void)
{
    print_table(0);
    print_table(1);
    printf("\nFXSAVE knows SSE only, the lines of single registers those only; wider registers are lost by them.\n");
    return 0;
}

#else

int main(void)
{
    printf("nothing is measured on this machine: only x86 has several instructions to choose from\n");
    return 0;
}

#endif
