/* Kernel services on memory that the calling program cannot access. The system description grants them:
 *
 *   <protection_domain name="boss">
 *       <digest id="0" region="log"/>    the contents of a memory region
 *       <digest id="1" pd="worker"/>     code and constants of a program
 *       <reset id="2" pd="worker"/>      puts a child's memory back to what it was when the system started
 *       <seal id="3" key="key" from="log" to="sealed"/>    encrypts and authenticates records
 *       <protection_domain name="worker" id="5"> ...
 *
 * The kernel works on the caller's budget, at the caller's priority, and is preempted like the caller. A caller that is
 * stopped during the call repeats the call when it resumes. */
#ifndef LIMEN_SERVICE_H
#define LIMEN_SERVICE_H

#include <limen/slots.h>
#include <microkit.h>
#include <sel4/sel4.h>

/* A BLAKE3 digest: 32 bytes in four words, the first byte in the lowest bits of the first. */
typedef struct limen_digest {
    seL4_Uint64 words[LIMEN_DIGEST_WORDS];
} limen_digest_t;

/* Computes the digest of the memory's present contents. Concurrent writes by programs may or may not be included.
 * seL4_InvalidCapability if the description grants no digest with this id. */
static inline seL4_Error limen_digest(seL4_Word id, limen_digest_t *digest)
{
    limen_received_t answer = limen_invoke(LIMEN_BASE_SERVICE_CAP + id, LimenServiceRun, 0, 0, limen_two_words(0, 0));
    digest->words[0] = answer.words.mr0;
    digest->words[1] = answer.words.mr1;
    digest->words[2] = answer.words.mr2;
    digest->words[3] = answer.words.mr3;
    return limen_outcome(answer);
}

/* Restores the initial data, stack and registers of a child; its memory regions keep their contents. The child must be stopped
 * (microkit_pd_stop) or wait for the reply to a fault. Restart it afterwards (microkit_pd_restart).
 * seL4_IllegalOperation while the child can run, seL4_InvalidCapability if the description grants no reset with this id. */
static inline seL4_Error limen_reset(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_SERVICE_CAP + id, LimenServiceRun, 0);
}

/* The start of the memory region that holds the key of a seal. There is no key while the salt is zero: set the salt last,
 * and to zero before a change of the key. Key and salt together must be new each time the system starts, because the numbers
 * of records start again. */
typedef struct limen_seal_key {
    seL4_Uint8 key[LIMEN_SEAL_KEY_BYTES];
    seL4_Uint32 salt;
} limen_seal_key_t;

/* A sealed record; the ciphertext follows. ChaCha20-Poly1305 (RFC 8439) or AES-256-GCM (NIST SP 800-38D) without additional
 * data; the nonce is the salt and then the number, both with the lowest byte first. */
typedef struct limen_sealed {
    /* Counts from 1; zero while the kernel writes the rest. */
    seL4_Uint64 number;
    /* Of the ciphertext, in bytes. */
    seL4_Uint32 length;
    seL4_Uint32 salt;
    seL4_Uint8 tag[LIMEN_SEAL_TAG_BYTES];
} limen_sealed_t;

/* Distance between the sealed records in their region; `record` is the attribute of the seal. Record `number` is at
 * (number - 1) modulo how many fit into the region. */
#define LIMEN_SEALED_BYTES(record) (sizeof(limen_sealed_t) + (record))

/* Seals the record, or those in the ring that no interrupt has sealed, at most 1024. Stores how many in `sealed`.
 * seL4_InvalidCapability if the description grants no seal with this id. */
static inline seL4_Error limen_seal(seL4_Word id, seL4_Word *sealed)
{
    limen_received_t answer = limen_invoke(LIMEN_BASE_SERVICE_CAP + id, LimenServiceRun, 0, 0, limen_two_words(0, 0));
    *sealed = answer.words.mr0;
    return limen_outcome(answer);
}

typedef enum limen_opening {
    LIMEN_OPENED,
    /* The record is not there yet. It never comes if its sealing was abandoned, because a caller of limen_seal was
     * stopped: then try the next number. */
    LIMEN_NOT_SEALED,
    /* A later record has its place. */
    LIMEN_OVERWRITTEN,
    /* The tag does not fit: another program has written to the region, or the key is another one. */
    LIMEN_FORGED,
} limen_opening_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Copies record `number` of a seal with ChaCha20-Poly1305 out of its region, and decrypts it. `text` has room for `record_bytes`, the
 * attribute `record` of the seal. Unless the record is opened, it may then hold anything. */
limen_opening_t limen_open(const limen_seal_key_t *key, const void *region, seL4_Word region_bytes, seL4_Word record_bytes,
                           seL4_Uint64 number, void *text, seL4_Word *length);

/* The same for a seal with cipher="aes_256_gcm". It needs no instructions for AES, and takes longer than limen_open. */
limen_opening_t limen_open_aes_256_gcm(const limen_seal_key_t *key, const void *region, seL4_Word region_bytes,
                                       seL4_Word record_bytes, seL4_Uint64 number, void *text, seL4_Word *length);

#ifdef __cplusplus
}
#endif

#endif /* LIMEN_SERVICE_H */
