/* Measures calls of the server with messages of several lengths, and prints a row for each length. */

#include <limen.h>
#include <microkit.h>

#define SERVER 0
#define SAMPLES 8
/* The first calls find nothing in the processor's caches, so their samples are dropped. */
#define WARM_UP 4

static const seL4_Uint16 lengths[] = { 0, 4, 16 };

static void put_number(seL4_Word number)
{
    char digits[24];
    int at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    microkit_dbg_puts(&digits[at]);
}

static seL4_Word sample(seL4_Uint16 words)
{
    for (seL4_Uint16 i = 0; i < words; i++) {
        microkit_mr_set((seL4_Uint8)i, i);
    }
    seL4_Word before = limen_counter();
    (void)microkit_ppcall(SERVER, microkit_msginfo_new(0, words));
    return limen_counter() - before;
}

static void measure(seL4_Uint16 words)
{
    seL4_Word samples[SAMPLES];
    for (int round = 0; round < WARM_UP + SAMPLES; round++) {
        seL4_Word taken = sample(words);
        if (round >= WARM_UP) {
            samples[round - WARM_UP] = taken;
        }
    }
    microkit_dbg_puts("ROW name=sum words=");
    put_number(words);
    for (int i = 0; i < SAMPLES; i++) {
        microkit_dbg_puts(i ? "," : " samples=");
        put_number(samples[i]);
    }
    microkit_dbg_puts("\n");
}

void init(void)
{
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        measure(lengths[i]);
    }
    microkit_dbg_puts("All lengths are measured.\nLIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
