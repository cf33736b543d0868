/* Lets records arrive: a device's timer interrupts at the moment of each arrival, and an entry of the used ring names it.
 *
 * With a seal on the interrupt, the entry is there before the interrupt, as if the device had written it. Otherwise the
 * driver adds it during the interrupt, and notifies the worker. A driver that is late adds all that have arrived. */

#include "load.h"
#include "moment.h"

#define DEVICE 0
#define WORKER 2
#define ENTRIES 64
#if defined(MODE_worker)
#define AHEAD 0
#else
#define AHEAD 1
#endif

seL4_Word load_base;
seL4_Word rings;
seL4_Word sealed;

struct used_ring {
    volatile seL4_Uint16 flags;
    volatile seL4_Uint16 index;
    volatile struct {
        seL4_Uint32 id;
        seL4_Uint32 length;
    } entries[ENTRIES];
};

static seL4_Word device;
/* Entries of this load, and the last number that was seen. */
static seL4_Word put;
static seL4_Uint64 seen;

static void put_entry(void)
{
    struct used_ring *ring = (struct used_ring *)rings;
    seL4_Uint16 index = ring->index;
    ring->entries[index % ENTRIES].id = put % BUFFERS;
    ring->entries[index % ENTRIES].length = RECORD;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    ring->index = index + 1;
    put++;
}

static void serve(seL4_Word now)
{
    struct load *load = this_load();
    seL4_Word due = arrivals_until(now), before = put;
    seL4_Word wanted = due + AHEAD < load->arrivals ? due + AHEAD : load->arrivals;
    while (put < wanted) {
        put_entry();
    }
    if (!AHEAD && put != before) {
        microkit_notify(WORKER);
    }
    /* After the last arrival, further interrupts seal what is left. */
    seL4_Word next = due < load->arrivals ? load->start + due * load->period : now + load->period;
    if (!load->is_over) {
        moment_set_after(next, now, device);
    }
}

static void note_sealed(seL4_Word now)
{
    seL4_Uint64 last = last_number(sealed);
    if (last != seen) {
        seen = last;
        this_load()->last_sealed = now;
    }
}

void init(void)
{
    this_load()->is_over = 1;
    device = moment_start();
    moment_clear();
}

void notified(microkit_channel ch)
{
    seL4_Word now = limen_counter();
    if (ch == DEVICE) {
        moment_clear();
        if (AHEAD) {
            note_sealed(now);
        }
        serve(now);
        microkit_irq_ack(DEVICE);
    } else {
        put = 0;
        serve(now);
    }
}
