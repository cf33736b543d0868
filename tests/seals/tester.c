/* Checks sealed records. */

#include <limen.h>

#include "level.h"
#include "orders.h"
#include "state.h"
#include "test.h"

#define SENSOR 0
#define PLAIN 1
#define RING 2

/* Of the seals, in the description. */
#define SEALED_BYTES 0x2000
#define PLAIN_RECORD 1008
#define PLAIN_BYTES 0x1000
#define RING_RECORD 2048
#define RING_BYTES 0x8000
#define RING_OFFSET 0x104
#define ENTRIES 16
/* The cipher of the seals with vector registers; the other one opens nothing. */
#ifdef CIPHER_aes_256_gcm
#define OPEN limen_open_aes_256_gcm
#define OPEN_OTHER limen_open
#else
#define OPEN limen_open
#define OPEN_OTHER limen_open_aes_256_gcm
#endif
/* How many sealed records fit into the region. */
#define SLOTS (SEALED_BYTES / LIMEN_SEALED_BYTES(RECORD))
#define RING_SLOTS (RING_BYTES / LIMEN_SEALED_BYTES(RING_RECORD))

/* Set by the tool. */
seL4_Word orders;
seL4_Word sample;
seL4_Word sealed;
seL4_Word key;
seL4_Word sealed_plain;
seL4_Word key_plain;
seL4_Word buffers;
seL4_Word rings;
seL4_Word sealed_ring;
seL4_Word key_ring;

/* A used ring. */
struct ring {
    volatile seL4_Uint16 flags;
    volatile seL4_Uint16 index;
    volatile struct {
        seL4_Uint32 id;
        seL4_Uint32 length;
    } entries[ENTRIES];
};

/* The number of the last record of each seal. */
static seL4_Uint64 last, last_plain, last_ring;

static struct orders *told(void)
{
    return (struct orders *)orders;
}

static struct ring *ring(void)
{
    return (struct ring *)(rings + RING_OFFSET);
}

static void fill(seL4_Word at, seL4_Word bytes, seL4_Word seed)
{
    for (seL4_Word i = 0; i < bytes; i++) {
        ((volatile seL4_Uint8 *)at)[i] = seed + 31 * i + i / 256;
    }
}

static void set_key(seL4_Word at, seL4_Uint8 first, seL4_Uint32 salt)
{
    volatile limen_seal_key_t *place = (volatile limen_seal_key_t *)at;
    place->salt = 0;
    for (int i = 0; i < LIMEN_SEAL_KEY_BYTES; i++) {
        place->key[i] = first + i;
    }
    place->salt = salt;
}

/* Whether record `number` of a seal opens to these bytes. */
static seL4_Bool opens_to(seL4_Word with, seL4_Word region, seL4_Word region_bytes, seL4_Word record, seL4_Uint64 number,
                          seL4_Word at, seL4_Word bytes)
{
    static seL4_Uint8 text[4096];
    seL4_Word length;
    limen_opening_t opening = (with == key_plain ? limen_open : OPEN)((limen_seal_key_t *)with, (void *)region,
                                                                      region_bytes, record, number, text, &length);
    seL4_Bool is_same = opening == LIMEN_OPENED && length == bytes;
    for (seL4_Word i = 0; is_same && i < bytes; i++) {
        is_same = text[i] == ((volatile seL4_Uint8 *)at)[i];
    }
    return is_same;
}

static limen_opening_t opening_of(seL4_Uint64 number)
{
    static seL4_Uint8 text[RECORD];
    seL4_Word length;
    return OPEN((limen_seal_key_t *)key, (void *)sealed, SEALED_BYTES, RECORD, number, text, &length);
}

/* Raises the device's line, and returns when the interrupt has come. */
static void interrupt(void)
{
    seL4_Uint64 expected = last + 1;
    const volatile limen_sealed_t *slot =
        (const volatile limen_sealed_t *)(sealed + (expected - 1) % SLOTS * LIMEN_SEALED_BYTES(RECORD));
    level_raise();
    /* A processor may take the interrupt late. */
    for (seL4_Word i = 0; i < 100000000 && slot->number != expected; i++) {
    }
    last = expected;
}

static void without_a_key_nothing_is_sealed(void)
{
    /* The line may have interrupted before any program could deassert it. */
    CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
    fill(sample, RECORD, 1);
    level_raise();
    CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
    for (seL4_Uint64 number = 1; number <= SLOTS; number++) {
        CHECK_EQUAL(opening_of(number), LIMEN_NOT_SEALED);
    }
}

static void an_interrupt_seals_before_its_driver_runs(void)
{
    set_key(key, 7, 0x5a17);
    for (seL4_Word round = 0; round < 2 * SLOTS + 1; round++) {
        seL4_Word before = told()->interrupts;
        fill(sample, RECORD, round);
        interrupt();
        CHECK(opens_to(key, sealed, SEALED_BYTES, RECORD, last, sample, RECORD));
        CHECK_EQUAL(opening_of(last + 1), LIMEN_NOT_SEALED);
        CHECK_EQUAL(told()->interrupts, before);
        CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
        CHECK_EQUAL(told()->interrupts, before + 1);
    }
    CHECK_EQUAL(last, 2 * SLOTS + 1);
    CHECK_EQUAL(opening_of(1), LIMEN_OVERWRITTEN);
}

static void a_request_seals_the_same_record(void)
{
    microkit_notify(SENSOR);
    CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
    CHECK_EQUAL(told()->error, seL4_NoError);
    CHECK_EQUAL(told()->sealed, 1);
    last++;
    CHECK(opens_to(key, sealed, SEALED_BYTES, RECORD, last, sample, RECORD));
}

static void equal_records_look_different(void)
{
    const volatile seL4_Word *slots = (const volatile seL4_Word *)sealed;
    seL4_Word words = LIMEN_SEALED_BYTES(RECORD) / sizeof(seL4_Word), header = sizeof(limen_sealed_t) / sizeof(seL4_Word);
    seL4_Word equal = 0;
    for (int i = 0; i < 2; i++) {
        interrupt();
        CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
    }
    seL4_Word one = (last - 2) % SLOTS * words, other = (last - 1) % SLOTS * words;
    for (seL4_Word i = header; i < words; i++) {
        equal += slots[one + i] == slots[other + i];
    }
    CHECK_EQUAL(equal, 0);
}

static void a_changed_bit_is_found(void)
{
    volatile seL4_Uint8 *slot = (volatile seL4_Uint8 *)sealed + (last - 1) % SLOTS * LIMEN_SEALED_BYTES(RECORD);
    /* Length, salt, tag, and places in the ciphertext. */
    static const seL4_Word places[] = { 8, 12, 16, 31, 32, 33, 31 + RECORD };
    for (seL4_Word i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        slot[places[i]] ^= 4;
        CHECK_EQUAL(opening_of(last), LIMEN_FORGED);
        slot[places[i]] ^= 4;
    }
    CHECK_EQUAL(opening_of(last), LIMEN_OPENED);
}

static void the_other_cipher_opens_nothing(void)
{
    static seL4_Uint8 text[RECORD];
    seL4_Word length = 7;
    CHECK_EQUAL(OPEN_OTHER((limen_seal_key_t *)key, (void *)sealed, SEALED_BYTES, RECORD, last, text, &length),
                LIMEN_FORGED);
    CHECK_EQUAL(length, 7);
    CHECK_EQUAL(opening_of(last), LIMEN_OPENED);
}

static void another_key_seals_from_the_next_record_on(void)
{
    set_key(key, 99, 0xffffffff);
    CHECK_EQUAL(opening_of(last), LIMEN_FORGED);
    interrupt();
    CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
    CHECK(opens_to(key, sealed, SEALED_BYTES, RECORD, last, sample, RECORD));
}

static void plain_code_seals_alike(void)
{
    seL4_Word count = 7;
    CHECK_EQUAL(limen_seal(PLAIN, &count), seL4_NoError);
    CHECK_EQUAL(count, 0);
    set_key(key_plain, 1, 1);
    CHECK_EQUAL(limen_seal(PLAIN, &count), seL4_NoError);
    CHECK_EQUAL(count, 1);
    last_plain++;
    CHECK(opens_to(key_plain, sealed_plain, PLAIN_BYTES, PLAIN_RECORD, last_plain, sample, PLAIN_RECORD));
}

static void put(seL4_Uint32 id, seL4_Uint32 length)
{
    seL4_Word entry = ring()->index % ENTRIES;
    ring()->entries[entry].id = id;
    ring()->entries[entry].length = length;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    ring()->index++;
}

static void a_ring_names_what_is_sealed(void)
{
    static const seL4_Uint32 lengths[] = { 2048, 1, 0, 60, 1514, 15, 16, 17 };
    set_key(key_ring, 40, 3);
    fill(buffers, 0x8000, 5);
    for (seL4_Word round = 0; round < 5; round++) {
        seL4_Word count;
        for (seL4_Uint32 i = 0; i < 8; i++) {
            put((i + round) % 16, lengths[i]);
        }
        CHECK_EQUAL(limen_seal(RING, &count), seL4_NoError);
        CHECK_EQUAL(count, 8);
        for (seL4_Uint32 i = 0; i < 8; i++) {
            seL4_Word at = buffers + (i + round) % 16 * RING_RECORD;
            CHECK(opens_to(key_ring, sealed_ring, RING_BYTES, RING_RECORD, ++last_ring, at, lengths[i]));
        }
    }
}

/* The kernel believes nothing that is in the ring. */
static void a_wrong_ring_seals_no_other_memory(void)
{
    static const seL4_Uint32 wrong[][2] = {
        { 16, 1 }, { 0, 2049 }, { 0xffffffff, 4 }, { 0x200000, 4 }, { 1, 0xffffffff }, { 0x80000000, 0x80000000 },
    };
    seL4_Word count;
    for (seL4_Word i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        put(wrong[i][0], wrong[i][1]);
    }
    put(3, 64);
    CHECK_EQUAL(limen_seal(RING, &count), seL4_NoError);
    CHECK_EQUAL(count, 1);
    CHECK(opens_to(key_ring, sealed_ring, RING_BYTES, RING_RECORD, ++last_ring, buffers + 3 * RING_RECORD, 64));
    /* An index far ahead: what the ring holds, once. */
    for (seL4_Uint32 i = 0; i < ENTRIES; i++) {
        put(i, 8);
    }
    ring()->index += 0x7000;
    CHECK_EQUAL(limen_seal(RING, &count), seL4_NoError);
    CHECK_EQUAL(count, ENTRIES);
    CHECK_EQUAL(limen_seal(RING, &count), seL4_NoError);
    CHECK_EQUAL(count, 0);
    last_ring += ENTRIES;
    for (seL4_Uint64 number = last_ring - RING_SLOTS + 1; number <= last_ring; number++) {
        seL4_Word id = ENTRIES - 1 - (last_ring - number);
        CHECK(opens_to(key_ring, sealed_ring, RING_BYTES, RING_RECORD, number, buffers + id * RING_RECORD, 8));
    }
}

#if defined(__aarch64__)
/* The timer is this program's to set, so its interrupt comes while the kernel seals for the program. */
static void raise_later(seL4_Word ticks)
{
    __asm__ volatile ("msr cntp_tval_el0, %0\n\tmsr cntp_ctl_el0, %1\n\tisb" : : "r"(ticks), "r"(1ul) : "memory");
}
#else
/* Only at once. */
static void raise_later(seL4_Word ticks)
{
    (void)ticks;
    level_raise();
}
#endif

/* An interrupt seals while a request of this program is at work in the same registers, and both records are right. */
static void registers_survive_both(void)
{
    static struct state written, found;
    for (seL4_Word round = 0; round < 100; round++) {
        seL4_Word count = 0;
        put(round % 16, 2000);
        put((round + 1) % 16, 48);
        state_fill(&written);
        state_write(&written);
        raise_later(round * 20);
        seL4_Error error = limen_seal(RING, &count);
        state_read(&found);
        CHECK_EQUAL(error, seL4_NoError);
        CHECK_EQUAL(count, 2);
        CHECK(state_equal(&written, &found));
        CHECK_EQUAL(wait_for_signals(), 1 << SENSOR);
        last++;
        CHECK(opens_to(key, sealed, SEALED_BYTES, RECORD, last, sample, RECORD));
        for (seL4_Word i = 0; i < 2; i++) {
            seL4_Word at = buffers + (round + i) % 16 * RING_RECORD;
            CHECK(opens_to(key_ring, sealed_ring, RING_BYTES, RING_RECORD, ++last_ring, at, i ? 48 : 2000));
        }
    }
}

static void no_capability_requests_another_seal(void)
{
    for (seL4_Word id = 0; id <= LIMEN_MAX_SERVICE_ID; id++) {
        seL4_Word count;
        if (id != PLAIN && id != RING) {
            CHECK_EQUAL(limen_seal(id, &count), seL4_InvalidCapability);
        }
    }
}

void init(void)
{
    RUN(without_a_key_nothing_is_sealed);
    RUN(an_interrupt_seals_before_its_driver_runs);
    RUN(a_request_seals_the_same_record);
    RUN(equal_records_look_different);
    RUN(a_changed_bit_is_found);
    RUN(the_other_cipher_opens_nothing);
    RUN(another_key_seals_from_the_next_record_on);
    RUN(plain_code_seals_alike);
    RUN(a_ring_names_what_is_sealed);
    RUN(registers_survive_both);
    RUN(a_wrong_ring_seals_no_other_memory);
    RUN(no_capability_requests_another_seal);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
