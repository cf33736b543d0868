/* Requests its session key from the vault until the vault refuses. Then it faults. */

#include "secret.h"
#include "vault.h"

#define VAULT 0

/* The word from which the vault derives the session key. */
#define SESSION 7

/* Set by the tool. */
secret_word_t *session;

/* Returns true if the vault has returned a key. */
static seL4_Bool ask(seL4_Word *key)
{
    microkit_mr_set(0, SESSION);
    microkit_msginfo answer = microkit_ppcall(VAULT, microkit_msginfo_new(0, 1));
    *key = microkit_mr_get(0);
    return microkit_msginfo_get_label(answer) == VAULT_KEY;
}

/* Hides the null address from the compiler, which would otherwise not emit the access. */
static void write_to(seL4_Word address)
{
    __asm__ volatile ("" : "+r"(address));
    *(volatile int *)address = 0;
}

/* The work runs in init instead of an event handler, because no program waits for this one. */
void init(void)
{
    microkit_dbg_puts("client: I ask for the key of my session, again and again\n");
    seL4_Word first, again;
    ask(&first);
    secret_make(session, first);
    seL4_Bool are_equal = seL4_True;
    while (ask(&again)) {
        are_equal &= again == first;
    }
    microkit_dbg_puts(are_equal ? "client: each answer was the same, and now the vault refuses\n"
                                : "client: the vault has given me another key before it refused\n");
    secret_print("client: words of my own secret: ", session);
    microkit_dbg_puts("client: I go on without the vault, and go astray\n");
    write_to(0);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
