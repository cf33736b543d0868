/* A page that holds a secret, for all three programs. The kernel clears it at a moment that no compiler foresees, so it
 * is volatile. */
#ifndef TAMPER_SECRET_H
#define TAMPER_SECRET_H

#include <microkit.h>

typedef volatile seL4_Word secret_word_t;

#define SECRET_WORDS (0x1000 / sizeof(seL4_Word))

/* Makes a secret of a word that is not zero. None of its words is zero either: the generator never leads there. */
static inline void secret_make(secret_word_t *secret, seL4_Word word)
{
    for (seL4_Word i = 0; i < SECRET_WORDS; i++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        secret[i] = word;
    }
}

/* One word tells for all: a program finds the whole secret or nothing of it. */
static inline seL4_Bool secret_is_there(const secret_word_t *secret)
{
    return secret[0] != 0;
}

/* Prints how many words of it are there, all of which were looked at before the first letter is printed. */
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
