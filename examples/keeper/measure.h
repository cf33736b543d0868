/* Taking, comparing and printing digests, for both programs. */
#ifndef KEEPER_MEASURE_H
#define KEEPER_MEASURE_H

#include <limen.h>
#include <microkit.h>

/* Returns zeros, which no memory has as its digest, if the digest is not granted. */
static inline limen_digest_t measure(seL4_Word id)
{
    limen_digest_t digest;
    if (limen_digest(id, &digest) != seL4_NoError) {
        microkit_dbg_puts("this digest was not granted\n");
        digest = (limen_digest_t){ { 0 } };
    }
    return digest;
}

static inline seL4_Bool is_equal(const limen_digest_t *one, const limen_digest_t *other)
{
    seL4_Uint64 differences = 0;
    for (int i = 0; i < LIMEN_DIGEST_WORDS; i++) {
        differences |= one->words[i] ^ other->words[i];
    }
    return differences == 0;
}

/* Prints a digest like the tool's report and b3sum: byte by byte, the first byte first. */
static inline void print_digest(const limen_digest_t *digest)
{
    for (int i = 0; i < LIMEN_DIGEST_WORDS; i++) {
        for (int byte = 0; byte < 8; byte++) {
            seL4_Uint64 value = digest->words[i] >> (8 * byte);
            microkit_dbg_putc("0123456789abcdef"[value >> 4 & 15]);
            microkit_dbg_putc("0123456789abcdef"[value & 15]);
        }
    }
}

#endif
