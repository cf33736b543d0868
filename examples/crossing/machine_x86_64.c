#include "machine.h"
#include "say.h"

const char counter_name[] = "time-stamp counter: a clock, not cycles of the core, where the processor changes its speed";
const char counter_unit[] = "TSC cycles";
const char plain_read[] = "rdtsc";
const char serialised_read[] = "lfence; rdtsc";

/* CPUID leaves and bits. */
#define FEATURES 1
#define HYPERVISOR_PRESENT (1u << 31)
#define HYPERVISOR 0x40000000
#define EXTENDED 0x80000000
#define BRAND 0x80000002
#define BRAND_LEAVES 3
#define EXTENDED_FEATURES 0x80000021
#define LFENCE_ALWAYS_SERIALISES (1u << 2)

/* eax, ebx, ecx, edx. */
struct leaf {
    seL4_Uint32 words[4];
};

static struct leaf cpuid(seL4_Uint32 number)
{
    struct leaf leaf;
    __asm__ volatile ("cpuid" : "=a"(leaf.words[0]), "=b"(leaf.words[1]), "=c"(leaf.words[2]), "=d"(leaf.words[3])
                      : "a"(number), "c"(0));
    return leaf;
}

static void put_name(char *name, const struct leaf *leaf, const int order[3])
{
    for (int i = 0; i < 12; i++) {
        name[i] = (char)(leaf->words[order[i / 4]] >> 8 * (i % 4));
    }
    name[12] = '\0';
}

static int is_same(const char *one, const char *other)
{
    while (*one && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

/* The brand string: 48 bytes, padded with spaces at either end. */
void say_processor(void)
{
    char name[16 * BRAND_LEAVES + 1];
    seL4_Word length = 0;
    if (cpuid(EXTENDED).words[0] < BRAND + BRAND_LEAVES - 1) {
        say("unknown");
        return;
    }
    for (seL4_Uint32 i = 0; i < BRAND_LEAVES; i++) {
        struct leaf leaf = cpuid(BRAND + i);
        for (int byte = 0; byte < 16; byte++) {
            name[length++] = (char)(leaf.words[byte / 4] >> 8 * (byte % 4));
        }
    }
    while (length && (name[length - 1] == ' ' || !name[length - 1])) {
        length--;
    }
    name[length] = '\0';
    const char *start = name;
    while (*start == ' ') {
        start++;
    }
    say(*start ? start : "unknown");
}

/* A hypervisor can clear the bit, so "bare metal" is what CPUID shows and no proof. */
void say_platform(void)
{
    if (!(cpuid(FEATURES).words[2] & HYPERVISOR_PRESENT)) {
        say("bare metal (CPUID: no hypervisor)");
        return;
    }
    char name[13];
    struct leaf leaf = cpuid(HYPERVISOR);
    put_name(name, &leaf, (const int[]){ 1, 2, 3 });
    say(is_same(name, "TCGTCGTCGTCG") ? "emulator" : "VM");
    say(" (CPUID: ");
    say(*name ? name : "hypervisor without a name");
    say(")");
}

void say_barrier(void)
{
    char vendor[13];
    struct leaf leaf = cpuid(0);
    put_name(vendor, &leaf, (const int[]){ 1, 3, 2 });
    say(vendor);
    if (!is_same(vendor, "AuthenticAMD")) {
        say(": what follows lfence waits for what is before it (Intel SDM, RDTSC)\n");
    } else if (cpuid(EXTENDED).words[0] >= EXTENDED_FEATURES
               && cpuid(EXTENDED_FEATURES).words[0] & LFENCE_ALWAYS_SERIALISES) {
        say(": what follows lfence always waits (CPUID 80000021h)\n");
    } else {
        say(": what follows lfence waits only if firmware has set bit 1 of MSR C0011029h\n");
    }
}

void two_instructions(seL4_Word rounds)
{
    __asm__ volatile ("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}
