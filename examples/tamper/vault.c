/* Derives keys from its own keys, which the kernel wipes when the case is opened. */

#include "clock.h"
#include "secret.h"
#include "vault.h"

/* The id of the tamper line in the description. */
#define TAMPER 2

/* The delay from the first answer to the opening of the case. */
#define OPENED_AFTER_US 10000

/* An odd number with random-looking bits. */
#define MULTIPLIER 0x9e3779b97f4a7c15ul

/* Set by the tool. */
secret_word_t *keys;

/* True while the vault expects its keys to be present. */
static seL4_Bool has_keys;
static seL4_Bool is_alarm_set;

/* A real vault would use a real cipher, which must also read its keys each time and keep no copy. */
static seL4_Word derive(seL4_Word word)
{
    for (seL4_Word i = 0; i < SECRET_WORDS; i++) {
        word = (word ^ keys[i]) * MULTIPLIER;
        word ^= word >> 29;
    }
    return word;
}

/* Simulates the opening of the case: the alarm asserts the line, whichever program runs then. The clock may miss a time
 * that passes before it is set. */
static void set_alarm(void)
{
    unsigned long when;
    do {
        when = clock_now() + OPENED_AFTER_US;
        clock_set_alarm(when);
    } while (clock_now() >= when && secret_is_there(keys));
}

void init(void)
{
    clock_start();
    /* Real keys would come from a source that no program can read. */
    secret_make(keys, 1);
    has_keys = seL4_True;
    secret_print("vault: words of my keys: ", keys);
}

void notified(microkit_channel ch)
{
    if (ch != TAMPER) {
        return;
    }
    /* The line may have interrupted before the keys existed, and may interrupt again before it is deasserted. */
    if (has_keys && !secret_is_there(keys)) {
        has_keys = seL4_False;
        secret_print("vault: the case was opened, words of my keys that are left: ", keys);
    }
    clock_quiet();
    microkit_deferred_irq_ack(ch);
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    (void)request;
    seL4_Word key = derive(microkit_mr_get(0));
    /* Checked after the derivation: the keys may be wiped in the middle of it, which makes the result invalid. */
    if (!secret_is_there(keys)) {
        return microkit_msginfo_new(VAULT_REFUSES, 0);
    }
    microkit_mr_set(0, key);
    if (!is_alarm_set) {
        is_alarm_set = seL4_True;
        set_alarm();
    }
    return microkit_msginfo_new(VAULT_KEY, 1);
}
