/* Derives keys from its own, which the kernel takes away from it when somebody opens the case. */

#include "clock.h"
#include "secret.h"
#include "vault.h"

/* The id of the tamper line in the description. */
#define TAMPER 2

/* How long after the first answer somebody opens the case. */
#define OPENED_AFTER_US 10000

/* Odd, and its bits look like random ones. */
#define MULTIPLIER 0x9e3779b97f4a7c15ul

/* Set by the tool. */
secret_word_t *keys;

/* Whether the vault counts on its keys. */
static seL4_Bool has_keys;
static seL4_Bool is_alarm_set;

/* A real vault would use a real cipher. That would read its keys as often, and keep no copy of them, either. */
static seL4_Word derive(seL4_Word word)
{
    for (seL4_Word i = 0; i < SECRET_WORDS; i++) {
        word = (word ^ keys[i]) * MULTIPLIER;
        word ^= word >> 29;
    }
    return word;
}

/* In place of somebody who opens the case: the line becomes active by itself, whoever runs then. A moment that has passed
 * before the clock knew of it may be missed. */
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
    /* Real keys would come from where nobody can read them. */
    secret_make(keys, 1);
    has_keys = seL4_True;
    secret_print("vault: words of my keys: ", keys);
}

void notified(microkit_channel ch)
{
    if (ch != TAMPER) {
        return;
    }
    /* A line may have interrupted before there were keys, and may do so again before it is quiet. */
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
    /* Asked afterwards: the keys may go in the middle of this, and what was derived then is worth nothing. */
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
