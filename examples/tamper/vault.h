/* The interface of the vault. Word 0 of a protected call is a seed; the answer has a key that only the vault can derive
 * from it. */
#ifndef TAMPER_VAULT_H
#define TAMPER_VAULT_H

/* Labels of the answer. */
enum vault_answer {
    /* The key is in word 0. */
    VAULT_KEY,
    /* The vault has lost its keys. */
    VAULT_REFUSES,
};

#endif /* TAMPER_VAULT_H */
