/* Requests a seal in a loop, while the debugger stops the machine and makes a device interrupt, which seals the same record with
 * another key. */

#include <limen.h>

#include "counts.h"
#include "rounds.h"
#include "state.h"
#include "test.h"

#define SEAL 0
#define OTHER_SEAL 1
#define RECORD 400
#define REGION 0x1000

/* Set by the tool. */
seL4_Word counts;
seL4_Word record;
seL4_Word key;
seL4_Word sealed;
seL4_Word other_key;
seL4_Word other_sealed;
seL4_Word key_of_interrupt;
seL4_Word sealed_by_interrupt;

static struct state written;
static struct state found;

/* Interrupts before the first seal. */
static seL4_Word first;

static struct counts *told(void)
{
    return (struct counts *)counts;
}

static void set_key(seL4_Word at, seL4_Uint8 first)
{
    volatile limen_seal_key_t *place = (volatile limen_seal_key_t *)at;
    for (int i = 0; i < LIMEN_SEAL_KEY_BYTES; i++) {
        place->key[i] = first + i;
    }
    place->salt = 1;
}

typedef limen_opening_t (*opener_t)(const limen_seal_key_t *, const void *, seL4_Word, seL4_Word, seL4_Uint64, void *,
                                    seL4_Word *);

/* Whether record `number` opens to the record, and is the last one. */
static seL4_Bool is_last(opener_t open, seL4_Word with, seL4_Word region, seL4_Uint64 number)
{
    static seL4_Uint8 text[RECORD];
    const limen_seal_key_t *opened_with = (const limen_seal_key_t *)with;
    seL4_Word length = 0;
    seL4_Bool is_right = number == 0
        || (open(opened_with, (void *)region, REGION, RECORD, number, text, &length) == LIMEN_OPENED && length == RECORD);
    for (seL4_Word i = 0; i < length; i++) {
        is_right = is_right && text[i] == ((volatile seL4_Uint8 *)record)[i];
    }
    return is_right
        && open(opened_with, (void *)region, REGION, RECORD, number + 1, text, &length) == LIMEN_NOT_SEALED;
}

/* Requests a seal in each round, and opens what it and the interrupt have sealed. */
static void seal_in_rounds(seL4_Word seal, opener_t open, seL4_Word with, seL4_Word to)
{
    seL4_Uint64 number = 0;
    rounds.interrupts = &told()->interrupts;
    for (rounds.left = 1; rounds.left > 0; rounds.left--) {
        seL4_Word count = 0;
        state_fill(&written);
        state_write(&written);
        round_begins();
        seL4_Error error = limen_seal(seal, &count);
        state_read(&found);
        round_ends();
        CHECK_EQUAL(error, seL4_NoError);
        CHECK_EQUAL(count, 1);
        CHECK(state_equal(&written, &found));
        CHECK(is_last(open, with, to, ++number));
        CHECK(is_last(OPEN, key_of_interrupt, sealed_by_interrupt, told()->interrupts - first));
    }
    CHECK_EQUAL(told()->other_registers, 0);
    CHECK_EQUAL(told()->other_digests, 0);
}

static void interrupts_seal_while_a_request_does(void)
{
    seal_in_rounds(SEAL, limen_open, key, sealed);
}

/* With AES-256-GCM where there are instructions for it. */
static void interrupts_seal_while_another_cipher_does(void)
{
    seal_in_rounds(OTHER_SEAL, OPEN, other_key, other_sealed);
}

void init(void)
{
    for (int i = 0; i < RECORD; i++) {
        ((volatile seL4_Uint8 *)record)[i] = 7 * i + i / 256;
    }
    set_key(key, 3);
    set_key(other_key, 31);
    set_key(key_of_interrupt, 90);
    first = told()->interrupts;
    RUN(interrupts_seal_while_a_request_does);
    RUN(interrupts_seal_while_another_cipher_does);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
