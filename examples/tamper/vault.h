/* How the vault answers. A protected call has a word in word 0; the answer has a key that only the vault can derive
 * from this word. */
#ifndef TAMPER_VAULT_H
#define TAMPER_VAULT_H

/* Labels of the answer. */
enum vault_answer {
    /* The key is in word 0. */
    VAULT_KEY,
    /* The vault has lost what it derives keys from. */
    VAULT_REFUSES,
};

#endif /* TAMPER_VAULT_H */
