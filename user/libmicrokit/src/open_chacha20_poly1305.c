/* Opens records that the kernel has sealed with ChaCha20-Poly1305, RFC 8439, without additional data. */

#include "open.h"

#define BLOCK_WORDS 16
#define BLOCK_BYTES (4 * BLOCK_WORDS)
#define DOUBLE_ROUNDS 10
#define TAGGED_BYTES 16

typedef unsigned __int128 seL4_Uint128;

static seL4_Uint32 word_at(const seL4_Uint8 *bytes)
{
    return (seL4_Uint32)bytes[0] | (seL4_Uint32)bytes[1] << 8 | (seL4_Uint32)bytes[2] << 16
        | (seL4_Uint32)bytes[3] << 24;
}

static seL4_Uint64 long_at(const seL4_Uint8 *bytes)
{
    return word_at(bytes) | (seL4_Uint64)word_at(bytes + 4) << 32;
}

static void mix(seL4_Uint32 *sum, seL4_Uint32 *turned, seL4_Uint32 by, int distance)
{
    *sum += by;
    *turned ^= *sum;
    *turned = *turned << distance | *turned >> (32 - distance);
}

static void quarter_round(seL4_Uint32 *words, int a, int b, int c, int d)
{
    mix(&words[a], &words[d], words[b], 16);
    mix(&words[c], &words[b], words[d], 12);
    mix(&words[a], &words[d], words[b], 8);
    mix(&words[c], &words[b], words[d], 7);
}

/* A block of the keystream. */
static void block_of(const limen_seal_key_t *key, const limen_sealed_t *sealed, seL4_Uint32 counter, seL4_Uint8 *block)
{
    seL4_Uint32 input[BLOCK_WORDS] = {
        0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
        [12] = counter, sealed->salt, (seL4_Uint32)sealed->number, (seL4_Uint32)(sealed->number >> 32),
    };
    seL4_Uint32 words[BLOCK_WORDS];
    for (int i = 0; i < LIMEN_SEAL_KEY_BYTES / 4; i++) {
        input[4 + i] = word_at(key->key + 4 * i);
    }
    for (int i = 0; i < BLOCK_WORDS; i++) {
        words[i] = input[i];
    }
    for (int i = 0; i < DOUBLE_ROUNDS; i++) {
        for (int column = 0; column < 4; column++) {
            quarter_round(words, column, 4 + column, 8 + column, 12 + column);
        }
        for (int column = 0; column < 4; column++) {
            quarter_round(words, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4);
        }
    }
    for (int i = 0; i < BLOCK_BYTES; i++) {
        block[i] = (words[i / 4] + input[i / 4]) >> 8 * (i % 4);
    }
}

/* Adds a block to the sum, below 2^131 in three words, and multiplies it modulo 2^130 - 5. */
static void tag_block(seL4_Uint64 *sum, const seL4_Uint64 *multiplier, seL4_Uint64 low, seL4_Uint64 high)
{
    seL4_Uint128 first = (seL4_Uint128)sum[0] + low;
    seL4_Uint128 second = (seL4_Uint128)sum[1] + high + (seL4_Uint64)(first >> 64);
    seL4_Uint64 s0 = first, s1 = second, s2 = sum[2] + 1 + (seL4_Uint64)(second >> 64);
    /* The multiplier's second word is a multiple of four, so it times 2^130 is congruent to five quarters of it. */
    seL4_Uint64 folded = multiplier[1] + (multiplier[1] >> 2);
    first = (seL4_Uint128)s0 * multiplier[0] + (seL4_Uint128)s1 * folded;
    second = (seL4_Uint128)s0 * multiplier[1] + (seL4_Uint128)s1 * multiplier[0] + (seL4_Uint128)s2 * folded
        + (seL4_Uint64)(first >> 64);
    seL4_Uint64 third = s2 * multiplier[0] + (seL4_Uint64)(second >> 64);
    first = (seL4_Uint128)(seL4_Uint64)first + (third & ~3ul) + (third >> 2);
    second = (seL4_Uint128)(seL4_Uint64)second + (seL4_Uint64)(first >> 64);
    sum[0] = first;
    sum[1] = second;
    sum[2] = (third & 3) + (seL4_Uint64)(second >> 64);
}

/* Whether the ciphertext has the tag. `keys` is block 0 of the keystream. */
static seL4_Bool has_tag(const seL4_Uint8 *keys, const limen_sealed_t *sealed, const seL4_Uint8 *text)
{
    seL4_Uint64 multiplier[2] = { long_at(keys) & 0x0ffffffc0fffffff, long_at(keys + 8) & 0x0ffffffc0ffffffc };
    seL4_Uint64 sum[3] = { 0, 0, 0 };
    for (seL4_Uint32 done = 0; done < sealed->length; done += TAGGED_BYTES) {
        seL4_Uint8 block[TAGGED_BYTES];
        for (seL4_Uint32 i = 0; i < TAGGED_BYTES; i++) {
            block[i] = done + i < sealed->length ? text[done + i] : 0;
        }
        tag_block(sum, multiplier, long_at(block), long_at(block + 8));
    }
    tag_block(sum, multiplier, 0, sealed->length);
    /* If the sum plus 5 reaches 2^130, its lower 128 bits are those of the remainder. */
    seL4_Uint128 lower = (seL4_Uint128)sum[1] << 64 | sum[0];
    seL4_Uint128 more = lower + 5;
    seL4_Uint64 reaches = (sum[2] + (more < 5)) >> 2;
    lower = (reaches & 1 ? more : lower) + ((seL4_Uint128)long_at(keys + 24) << 64 | long_at(keys + 16));
    seL4_Uint128 tag = (seL4_Uint128)long_at(sealed->tag + 8) << 64 | long_at(sealed->tag);
    return lower == tag;
}

static seL4_Bool decrypt(const limen_seal_key_t *key, const limen_sealed_t *sealed, seL4_Uint8 *text)
{
    seL4_Uint8 block[BLOCK_BYTES];
    block_of(key, sealed, 0, block);
    if (!has_tag(block, sealed, text)) {
        return seL4_False;
    }
    for (seL4_Uint32 i = 0; i < sealed->length; i++) {
        if (i % BLOCK_BYTES == 0) {
            block_of(key, sealed, 1 + i / BLOCK_BYTES, block);
        }
        text[i] ^= block[i % BLOCK_BYTES];
    }
    return seL4_True;
}

limen_opening_t limen_open(const limen_seal_key_t *key, const void *region, seL4_Word region_bytes, seL4_Word record_bytes,
                           seL4_Uint64 number, void *text, seL4_Word *length)
{
    return limen_open_with(decrypt, key, region, region_bytes, record_bytes, number, text, length);
}
