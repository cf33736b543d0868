/* Opens records that the kernel has sealed with AES-256-GCM, NIST SP 800-38D, without additional data.
 *
 * No branch and no address depends on the key or the text. Four blocks are computed at once: plane b has bit b of each of
 * their 64 bytes, so an operation on a word is one on every byte. */

#include "open.h"

#define ROUNDS 14
#define BLOCK_BYTES 16
#define BLOCKS 4
#define KEY_WORDS (LIMEN_SEAL_KEY_BYTES / 4)
#define PLANES 8
/* The highest product of two planes, plus one. */
#define PRODUCTS (2 * PLANES - 1)
/* A bit for each block, and for the first byte of each column of four bytes. */
#define EVERY_BLOCK 0x0001000100010001ul
#define FIRST_ROW 0x1111111111111111ul

typedef unsigned __int128 seL4_Uint128;

typedef struct planes {
    seL4_Uint64 of[PLANES];
} planes_t;

static planes_t pack(const seL4_Uint8 *bytes, int count)
{
    planes_t planes = { { 0 } };
    for (int i = 0; i < count; i++) {
        for (int bit = 0; bit < PLANES; bit++) {
            planes.of[bit] |= (seL4_Uint64)(bytes[i] >> bit & 1) << i;
        }
    }
    return planes;
}

static void unpack(const planes_t *planes, seL4_Uint8 *bytes, int count)
{
    for (int i = 0; i < count; i++) {
        bytes[i] = 0;
        for (int bit = 0; bit < PLANES; bit++) {
            bytes[i] |= (planes->of[bit] >> i & 1) << bit;
        }
    }
}

/* The remainder of polynomials modulo x^8 + x^4 + x^3 + x + 1. */
static planes_t remainder_of(seL4_Uint64 *products)
{
    planes_t remainder;
    for (int i = PRODUCTS - 1; i >= PLANES; i--) {
        products[i - 4] ^= products[i];
        products[i - 5] ^= products[i];
        products[i - 7] ^= products[i];
        products[i - 8] ^= products[i];
    }
    for (int i = 0; i < PLANES; i++) {
        remainder.of[i] = products[i];
    }
    return remainder;
}

static planes_t product_of(const planes_t *one, const planes_t *other)
{
    seL4_Uint64 products[PRODUCTS] = { 0 };
    for (int i = 0; i < PLANES; i++) {
        for (int j = 0; j < PLANES; j++) {
            products[i + j] ^= one->of[i] & other->of[j];
        }
    }
    return remainder_of(products);
}

/* The power with exponent 2 to the `times`. */
static planes_t square_of(planes_t planes, int times)
{
    while (times-- > 0) {
        seL4_Uint64 products[PRODUCTS] = { 0 };
        for (int i = 0; i < PLANES; i++) {
            products[2 * i] = planes.of[i];
        }
        planes = remainder_of(products);
    }
    return planes;
}

/* The inverse of each byte, which is its power with exponent 254, and the affine map of FIPS 197, section 5.1.1. */
static planes_t substitute(const planes_t *bytes)
{
    planes_t second = square_of(*bytes, 1);
    planes_t third = product_of(&second, bytes);
    planes_t twelfth = square_of(third, 2);
    planes_t power = product_of(&twelfth, &third);
    power = square_of(power, 4);
    power = product_of(&power, &twelfth);
    power = product_of(&power, &second);
    planes_t substituted;
    for (int bit = 0; bit < PLANES; bit++) {
        substituted.of[bit] = 0x63 >> bit & 1 ? ~0ul : 0;
        for (int distance = 0; distance <= 4; distance++) {
            substituted.of[bit] ^= power.of[(bit + PLANES - distance) % PLANES];
        }
    }
    return substituted;
}

/* Row r of a block, whose columns have four bytes, moves by r columns. */
static seL4_Uint64 shift_rows(seL4_Uint64 plane)
{
    seL4_Uint64 shifted = plane & FIRST_ROW;
    for (int row = 1; row < 4; row++) {
        /* The bytes of this row in the first `row` columns of every block. */
        seL4_Uint64 first = (FIRST_ROW & ((1ul << 4 * row) - 1) * EVERY_BLOCK) << row;
        seL4_Uint64 rest = FIRST_ROW << row & ~first;
        shifted |= (plane & rest) >> 4 * row | (plane & first) << (16 - 4 * row);
    }
    return shifted;
}

/* The next byte of the same column. */
static seL4_Uint64 next_row(seL4_Uint64 plane)
{
    return (plane >> 1 & ~(FIRST_ROW << 3)) | (plane & FIRST_ROW) << 3;
}

/* FIPS 197, section 5.1.3. */
static planes_t mix_columns(const planes_t *planes)
{
    planes_t mixed;
    seL4_Uint64 sums[PLANES];
    for (int i = 0; i < PLANES; i++) {
        sums[i] = planes->of[i] ^ next_row(planes->of[i]);
        mixed.of[i] = next_row(planes->of[i]) ^ next_row(next_row(sums[i]));
    }
    for (int i = 0; i < PLANES; i++) {
        /* Times x. */
        mixed.of[i] ^= sums[(i + PLANES - 1) % PLANES] ^ (0x1a >> i & 1 ? sums[PLANES - 1] : 0);
    }
    return mixed;
}

/* FIPS 197, section 5.2. */
static void expand(const seL4_Uint8 *key, planes_t *round_keys)
{
    seL4_Uint8 bytes[(ROUNDS + 1) * BLOCK_BYTES];
    seL4_Uint8 constant = 1;
    for (int i = 0; i < LIMEN_SEAL_KEY_BYTES; i++) {
        bytes[i] = key[i];
    }
    for (int word = KEY_WORDS; word < (ROUNDS + 1) * 4; word++) {
        seL4_Uint8 *next = &bytes[4 * word];
        seL4_Uint8 last[4] = { next[-4], next[-3], next[-2], next[-1] };
        if (word % 4 == 0) {
            planes_t planes = pack(last, 4);
            planes = substitute(&planes);
            unpack(&planes, last, 4);
        }
        int turned = word % KEY_WORDS == 0;
        for (int i = 0; i < 4; i++) {
            next[i] = next[i - LIMEN_SEAL_KEY_BYTES] ^ last[(i + turned) % 4];
        }
        if (turned) {
            next[0] ^= constant;
            constant <<= 1;
        }
    }
    for (int round = 0; round <= ROUNDS; round++) {
        round_keys[round] = pack(&bytes[round * BLOCK_BYTES], BLOCK_BYTES);
        for (int i = 0; i < PLANES; i++) {
            round_keys[round].of[i] *= EVERY_BLOCK;
        }
    }
}

static void encrypt(const planes_t *round_keys, seL4_Uint8 *blocks)
{
    planes_t planes = pack(blocks, BLOCKS * BLOCK_BYTES);
    for (int round = 0; round <= ROUNDS; round++) {
        if (round > 0) {
            planes = substitute(&planes);
            for (int i = 0; i < PLANES; i++) {
                planes.of[i] = shift_rows(planes.of[i]);
            }
        }
        if (round > 0 && round < ROUNDS) {
            planes = mix_columns(&planes);
        }
        for (int i = 0; i < PLANES; i++) {
            planes.of[i] ^= round_keys[round].of[i];
        }
    }
    unpack(&planes, blocks, BLOCKS * BLOCK_BYTES);
}

static seL4_Uint128 number_at(const seL4_Uint8 *bytes, seL4_Uint32 count)
{
    seL4_Uint128 number = 0;
    for (seL4_Uint32 i = 0; i < BLOCK_BYTES; i++) {
        number = number << 8 | (i < count ? bytes[i] : 0);
    }
    return number;
}

/* A product of polynomials, the bit for x^0 first. NIST SP 800-38D, section 6.3. */
static seL4_Uint128 hash_product(seL4_Uint128 one, seL4_Uint128 other)
{
    seL4_Uint128 product = 0;
    for (int bit = 127; bit >= 0; bit--) {
        product ^= other & -(one >> bit & 1);
        other = other >> 1 ^ ((seL4_Uint128)0xe1 << 120 & -(other & 1));
    }
    return product;
}

static seL4_Bool decrypt(const limen_seal_key_t *key, const limen_sealed_t *sealed, seL4_Uint8 *text)
{
    planes_t round_keys[ROUNDS + 1];
    /* The nonce and a counter of the blocks, the highest byte first. */
    seL4_Uint8 counter[BLOCK_BYTES] = { 0 };
    for (int i = 0; i < 4; i++) {
        counter[i] = sealed->salt >> 8 * i;
    }
    for (int i = 0; i < 8; i++) {
        counter[4 + i] = sealed->number >> 8 * i;
    }
    expand(key->key, round_keys);
    /* The key of the hash, and what encrypts it. */
    seL4_Uint8 blocks[BLOCKS * BLOCK_BYTES] = { 0 };
    for (int i = 0; i < BLOCK_BYTES; i++) {
        blocks[BLOCK_BYTES + i] = i == BLOCK_BYTES - 1 ? 1 : counter[i];
    }
    encrypt(round_keys, blocks);
    seL4_Uint128 hash_key = number_at(blocks, BLOCK_BYTES), hash = 0;
    seL4_Uint128 tag = number_at(blocks + BLOCK_BYTES, BLOCK_BYTES);
    for (seL4_Uint32 done = 0; done < sealed->length; done += BLOCK_BYTES) {
        hash = hash_product(hash ^ number_at(text + done, sealed->length - done), hash_key);
    }
    hash = hash_product(hash ^ (seL4_Uint128)sealed->length * 8, hash_key);
    if ((hash ^ tag) != number_at(sealed->tag, BLOCK_BYTES)) {
        return seL4_False;
    }
    for (seL4_Uint32 i = 0; i < sealed->length; i++) {
        seL4_Uint32 within = i % sizeof(blocks);
        for (seL4_Uint32 place = 0; within == 0 && place < sizeof(blocks); place++) {
            seL4_Uint32 number = 2 + (i + place) / BLOCK_BYTES, byte = place % BLOCK_BYTES;
            blocks[place] = byte < 12 ? counter[byte] : number >> 8 * (BLOCK_BYTES - 1 - byte);
        }
        if (within == 0) {
            encrypt(round_keys, blocks);
        }
        text[i] ^= blocks[within];
    }
    return seL4_True;
}

limen_opening_t limen_open_aes_256_gcm(const limen_seal_key_t *key, const void *region, seL4_Word region_bytes,
                                       seL4_Word record_bytes, seL4_Uint64 number, void *text, seL4_Word *length)
{
    return limen_open_with(decrypt, key, region, region_bytes, record_bytes, number, text, length);
}
