/* A page that holds a secret, for all three programs. It is volatile, because the kernel may clear it at any time. */
#ifndef TAMPER_SECRET_H
#define TAMPER_SECRET_H

#include <microkit.h>

typedef volatile seL4_Word secret_word_t;

#define SECRET_WORDS (0x1000 / sizeof(seL4_Word))

/* Fills the page with a secret from a nonzero seed. No word of it is zero, because the generator never yields zero. */
static inline void secret_make(secret_word_t *secret, seL4_Word word)
{
    for (seL4_Word i = 0; i < SECRET_WORDS; i++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        secret[i] = word;
    }
}

/* One word is enough to check, because a program finds either the whole secret or none of it. */
static inline seL4_Bool secret_is_there(const secret_word_t *secret)
{
    return secret[0] != 0;
}

/* Prints the number of words still present. It counts all of them before it prints the first character. */
static inline void secret_print(const char *what, const secret_word_t *secret)
{
    seL4_Uint32 words = 0;
    for (seL4_Word i = 0; i < SECRET_WORDS; i++) {
        words += secret[i] != 0;
    }
    microkit_dbg_puts(what);
    microkit_dbg_put32(words);
    microkit_dbg_putc('\n');
}

#endif /* TAMPER_SECRET_H */
