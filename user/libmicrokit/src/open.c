/* Copies a sealed record out of its region, which the kernel may write meanwhile. */

#include "open.h"

limen_opening_t limen_open_with(limen_decrypt_t decrypt, const limen_seal_key_t *key, const void *region,
                                seL4_Word region_bytes, seL4_Word record_bytes, seL4_Uint64 number, void *text,
                                seL4_Word *length)
{
    seL4_Word slots = region_bytes / LIMEN_SEALED_BYTES(record_bytes);
    if (number == 0 || slots == 0) {
        return LIMEN_NOT_SEALED;
    }
    seL4_Word slot = (number - 1) % slots;
    const volatile seL4_Uint64 *from =
        (const volatile seL4_Uint64 *)((const seL4_Uint8 *)region + slot * LIMEN_SEALED_BYTES(record_bytes));
    union {
        seL4_Uint64 words[sizeof(limen_sealed_t) / sizeof(seL4_Uint64)];
        limen_sealed_t record;
    } sealed;
    for (seL4_Word i = 0; i < sizeof(sealed) / sizeof(seL4_Uint64); i++) {
        sealed.words[i] = from[i];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    }
    if (sealed.record.number < number) {
        return LIMEN_NOT_SEALED;
    }
    if (sealed.record.number > number) {
        return LIMEN_OVERWRITTEN;
    }
    if (sealed.record.length > record_bytes) {
        return LIMEN_FORGED;
    }
    seL4_Uint8 *bytes = text;
    const volatile seL4_Uint8 *ciphertext = (const volatile seL4_Uint8 *)from + sizeof(limen_sealed_t);
    for (seL4_Uint32 i = 0; i < sealed.record.length; i++) {
        bytes[i] = ciphertext[i];
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (*from != number) {
        return LIMEN_OVERWRITTEN;
    }
    if (!decrypt(key, &sealed.record, bytes)) {
        return LIMEN_FORGED;
    }
    *length = sealed.record.length;
    return LIMEN_OPENED;
}
