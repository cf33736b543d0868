/* What the ciphers of sealed records have in common. */
#ifndef OPEN_H
#define OPEN_H

#include <limen/service.h>

/* Decrypts a copied record in place if it has its tag, and returns whether it has. */
typedef seL4_Bool (*limen_decrypt_t)(const limen_seal_key_t *key, const limen_sealed_t *sealed, seL4_Uint8 *text);

/* Copies record `number` out of its region, and decrypts it. */
limen_opening_t limen_open_with(limen_decrypt_t decrypt, const limen_seal_key_t *key, const void *region,
                                seL4_Word region_bytes, seL4_Word record_bytes, seL4_Uint64 number, void *text,
                                seL4_Word *length);

#endif /* OPEN_H */
