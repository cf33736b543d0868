/* Measures kernel entry and exit on this machine's own system: run by `./x bench --native`.
 *
 * The figures are round trips. An ordinary kernel does not report when it was entered and left, so each figure includes the
 * kernel's work and neither direction is known separately; Limen's probes measure both (docs/crossings.md).
 *
 * system call: getppid, which does next to nothing. page fault: the first store to a page, which the kernel finds, clears and maps.
 * breakpoint: a signal to a handler that returns at once, which is two entries and two returns. */

#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SAMPLES 10000
#define WARM_UP 500
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

#if defined(__x86_64__)

#include <cpuid.h>

#define UNIT "ticks of the time-stamp counter (lfence; rdtsc; lfence)"
#define BREAKPOINT "int3"

static uint64_t counter(void)
{
    uint32_t low, high;
    __asm__ volatile ("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* The processor continues after the instruction without help of the handler. */
static void skip_breakpoint(ucontext_t *context)
{
    (void)context;
}

static void print_hypervisor(void)
{
    unsigned words[4];
    __cpuid(1, words[0], words[1], words[2], words[3]);
    if (!(words[2] & 1u << 31)) {
        printf("machine:     bare, or a hypervisor that hides: CPUID shows none\n");
        return;
    }
    char name[13] = { 0 };
    __cpuid(0x40000000, words[0], words[1], words[2], words[3]);
    memcpy(name, &words[1], 12);
    printf("machine:     virtual: CPUID shows the hypervisor %s\n", name);
}

#else

#define UNIT "nanoseconds (clock_gettime)"

static uint64_t counter(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#if defined(__aarch64__)
#define BREAKPOINT "brk #0"
static void skip_breakpoint(ucontext_t *context)
{
    context->uc_mcontext.pc += 4;
}
#elif defined(__riscv)
#define BREAKPOINT ".option push\n\t.option norvc\n\tebreak\n\t.option pop"
static void skip_breakpoint(ucontext_t *context)
{
    context->uc_mcontext.__gregs[REG_PC] += 4;
}
#endif

static void print_hypervisor(void)
{
    printf("machine:     unknown: no instruction tells a program here whether a hypervisor is below\n");
}

#endif

static unsigned char *pages;
static size_t page_bytes;

static void system_call(size_t round)
{
    (void)round;
    syscall(SYS_getppid);
}

static void page_fault(size_t round)
{
    *(volatile unsigned char *)(pages + round * page_bytes) = 1;
}

static void breakpoint(size_t round)
{
    (void)round;
    __asm__ volatile (BREAKPOINT : : : "memory");
}

static void nothing(size_t round)
{
    __asm__ volatile ("" : : "r"(round) : "memory");
}

static void on_breakpoint(int number, siginfo_t *information, void *context)
{
    (void)number;
    (void)information;
    skip_breakpoint(context);
}

static int compare(const void *one, const void *other)
{
    uint64_t first = *(const uint64_t *)one, second = *(const uint64_t *)other;
    return (first > second) - (first < second);
}

static void print_row(const char *name, void (*event)(size_t round))
{
    static uint64_t samples[SAMPLES];
    for (size_t round = 0; round < WARM_UP + SAMPLES; round++) {
        uint64_t before = counter();
        event(round);
        uint64_t after = counter();
        if (round >= WARM_UP) {
            samples[round - WARM_UP] = after - before;
        }
    }
    qsort(samples, SAMPLES, sizeof *samples, compare);
    printf("%-24s %9lu %9lu %9lu %9lu\n", name, (unsigned long)samples[0], (unsigned long)samples[SAMPLES / 2],
           (unsigned long)samples[SAMPLES * 99 / 100], (unsigned long)samples[SAMPLES - 1]);
}

/* The first line of the system's report on one vulnerability. */
static void print_defect(const char *defect)
{
    char path[512], answer[160] = { 0 };
    snprintf(path, sizeof path, VULNERABILITIES "/%s", defect);
    FILE *file = fopen(path, "r");
    if (!file) {
        return;
    }
    if (fgets(answer, sizeof answer, file) && strncmp(answer, "Not affected", 12)) {
        printf("  %-24s %s%s", defect, answer, strchr(answer, '\n') ? "" : "\n");
    }
    fclose(file);
}

static void print_mitigations(void)
{
    struct dirent **entries;
    int count = scandir(VULNERABILITIES, &entries, 0, alphasort);
    if (count < 0) {
        printf("mitigations: unknown: the system does not tell\n");
        return;
    }
    printf("mitigations: of the defects that this processor has, as the system tells\n");
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            print_defect(entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
}

/* Uses small pages, so that each store faults. */
static int map_pages(void)
{
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (WARM_UP + SAMPLES) * page_bytes;
    pages = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return 0;
    }
    /* This fails on a system without huge pages, which does not need it. */
    madvise(pages, bytes, MADV_NOHUGEPAGE);
    return 1;
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO };
    if (!map_pages() || sigaction(SIGTRAP, &action, 0)) {
        perror("crossing");
        return 1;
    }
    printf("\nround trips into this machine's own kernel and back, not single directions\n");
    print_hypervisor();
    print_mitigations();
    printf("unit:        " UNIT ", raw\n\n%-24s %9s %9s %9s %9s\n", "", "min", "median", "p99", "max");
    print_row("no event", nothing);
    print_row("system call", system_call);
    print_row("page fault", page_fault);
    print_row("breakpoint, by signal", breakpoint);
    return 0;
}
