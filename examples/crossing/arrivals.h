/* Measurements of the kernel exit in programs that are called and notified. */
#ifndef CROSSING_ARRIVALS_H
#define CROSSING_ARRIVALS_H

#include <limen.h>

/* One for each channel of the meter. */
#define SERVER 0
#define LISTENER 1

struct arrivals {
    /* An enum form: how to read the counter at the next arrivals. */
    volatile seL4_Word form;
    volatile limen_crossing_t crossings[2];
    volatile seL4_Word interruptions[2];
};

/* Waits with the first system call, then repeatedly with the second, and stamps each return. The first arrival after a
 * change still uses the old form. */
static inline void arrive(struct arrivals *arrivals, seL4_Word who, seL4_Int64 first, seL4_Int64 next)
{
    limen_crossing_t crossing = { .target = LIMEN_INPUT_CAP, .number = (seL4_Word)first, .reply = LIMEN_REPLY_CAP };
    limen_probe_sample_t sample;
    limen_probe_start();
    for (;;) {
        if (arrivals->form) {
            limen_probe_arm(limen_probe_system_call, 0, 0, LIMEN_PROBE_EXIT_SERIALISED);
            limen_cross_syscall_serialised(&crossing);
        } else {
            limen_probe_arm(limen_probe_system_call, 0, 0, LIMEN_PROBE_EXIT);
            limen_cross_syscall(&crossing);
        }
        limen_probe_read(&sample);
        arrivals->crossings[who] = crossing;
        arrivals->interruptions[who] = sample.interruptions_after;
        crossing.number = (seL4_Word)next;
    }
}

#endif /* CROSSING_ARRIVALS_H */
