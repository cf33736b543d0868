/* What the kernel does for a program with memory that the program cannot see or change. A system description grants it:
 *
 *   <protection_domain name="boss">
 *       <digest id="0" region="log"/>    the contents of a memory region
 *       <digest id="1" pd="worker"/>     code and constants of a program
 *       <reset id="2" pd="worker"/>      puts a child's memory back to what it was when the system started
 *       <protection_domain name="worker" id="5"> ...
 *
 * The kernel works on the caller's time and at its priority, and is pre-empted like the caller. A caller that is stopped
 * meanwhile starts its call again when it goes on. */
#ifndef LIMEN_SERVICE_H
#define LIMEN_SERVICE_H

#include <limen/slots.h>
#include <microkit.h>
#include <sel4/sel4.h>

/* A BLAKE3 digest: 32 bytes in four words, the first byte in the lowest bits of the first. */
typedef struct limen_digest {
    seL4_Uint64 words[LIMEN_DIGEST_WORDS];
} limen_digest_t;

/* The digest of what is in memory now. What programs write while it is being read is in it, or not.
 * seL4_InvalidCapability if there is no such digest. */
static inline seL4_Error limen_digest(seL4_Word id, limen_digest_t *digest)
{
    limen_received_t answer = limen_invoke(LIMEN_BASE_SERVICE_CAP + id, LimenServiceRun, 0, 0, limen_two_words(0, 0));
    digest->words[0] = answer.words.mr0;
    digest->words[1] = answer.words.mr1;
    digest->words[2] = answer.words.mr2;
    digest->words[3] = answer.words.mr3;
    return limen_outcome(answer);
}

/* Puts data and stack of a child back, which must have been stopped (microkit_pd_stop), or wait for the answer to a fault;
 * its memory regions stay as they are. Restart it afterwards (microkit_pd_restart).
 * seL4_IllegalOperation while it could run, seL4_InvalidCapability if there is no such reset. */
static inline seL4_Error limen_reset(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_SERVICE_CAP + id, LimenServiceRun, 0);
}

#endif /* LIMEN_SERVICE_H */
