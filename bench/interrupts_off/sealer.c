/* Fills the used ring of a seal, and waits for the interrupt that seals its records. */

#include "figures.h"
#include "moment.h"
#include "user.h"

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

/* Of the seal, in the description. */
#define ENTRIES 16
#define RECORD 1024ul
#define SLOTS (0x8000 / LIMEN_SEALED_BYTES(RECORD))

#define AT_ONCE 4
#define SEALED_ROUNDS 20

seL4_Word shared_page, key, rings, sealed;

static struct used_ring {
    volatile seL4_Uint16 flags;
    volatile seL4_Uint16 index;
    volatile struct {
        seL4_Uint32 id;
        seL4_Uint32 length;
    } entries[ENTRIES];
} *ring(void)
{
    return (struct used_ring *)rings;
}

/* As many records as an interrupt seals. */
static void fill(void)
{
    for (int i = 0; i < AT_ONCE; i++) {
        seL4_Uint16 index = ring()->index;
        ring()->entries[index % ENTRIES].id = index % ENTRIES;
        ring()->entries[index % ENTRIES].length = RECORD;
        __atomic_thread_fence(__ATOMIC_RELEASE);
        ring()->index = index + 1;
    }
}

static seL4_Bool is_sealed(seL4_Uint64 number)
{
    const volatile limen_sealed_t *slot =
        (const volatile limen_sealed_t *)(sealed + (number - 1) % SLOTS * LIMEN_SEALED_BYTES(RECORD));
    return slot->number == number && slot->length == RECORD;
}

void init(void)
{
    struct shared *page = shared();
    seL4_Word most = 0;
    volatile limen_seal_key_t *place = (volatile limen_seal_key_t *)key;
    bench_check(limen_probe_start() == seL4_NoError, "the program does not probe");
    use_fpu();
    place->salt = 1;
    for (seL4_Uint64 round = 1; round <= SEALED_ROUNDS; round++) {
        fill();
        page->gap = 0;
        moment_set(limen_counter() + 5000, page->device);
        while (!page->gap) {
            page->before = limen_counter();
        }
        page->before = 0;
        bench_check(is_sealed(AT_ONCE * round) && !is_sealed(AT_ONCE * round + 1), "the interrupt sealed another number");
        most = page->gap > most ? page->gap : most;
    }
    samples_print_one("interrupts_off event=Interrupt by=line seal_kib=4 cipher=" TEXT(CIPHER), most);
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
