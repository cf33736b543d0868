/* Kernel services on memory that the calling program cannot access. The system description grants them:
 *
 *   <protection_domain name="boss">
 *       <digest id="0" region="log"/>    the contents of a memory region
 *       <digest id="1" pd="worker"/>     code and constants of a program
 *       <reset id="2" pd="worker"/>      puts a child's memory back to what it was when the system started
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

/* Restores the initial data and stack of a child; its memory regions keep their contents. The child must be stopped
 * (microkit_pd_stop) or wait for the reply to a fault. Restart it afterwards (microkit_pd_restart).
 * seL4_IllegalOperation while the child can run, seL4_InvalidCapability if the description grants no reset with this id. */
static inline seL4_Error limen_reset(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_SERVICE_CAP + id, LimenServiceRun, 0);
}

#endif /* LIMEN_SERVICE_H */
