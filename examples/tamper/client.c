/* Asks the vault for the key of its session, again and again, until it gets none. Then it goes astray. */

#include "secret.h"
#include "vault.h"

#define VAULT 0

/* What the key of the session is derived from. */
#define SESSION 7

/* Set by the tool. */
secret_word_t *session;

/* Whether the vault has given a key. */
static seL4_Bool ask(seL4_Word *key)
{
    microkit_mr_set(0, SESSION);
    microkit_msginfo answer = microkit_ppcall(VAULT, microkit_msginfo_new(0, 1));
    *key = microkit_mr_get(0);
    return microkit_msginfo_get_label(answer) == VAULT_KEY;
}

/* The compiler must not see that the address is null, or it would refuse to make this mistake. */
static void write_to(seL4_Word address)
{
    __asm__ volatile ("" : "+r"(address));
    *(volatile int *)address = 0;
}

/* It works here and not in an event handler: it is never waited for. */
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
