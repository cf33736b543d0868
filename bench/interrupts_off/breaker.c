/* Faults on request. */

#include "bad_address.h"
#include "figures.h"
#include "user.h"

seL4_Word shared_page;

#define NO_SYSCALL (-99l)
#define NOWHERE 0x1000

void init(void)
{
    struct shared *page = shared();
    limen_words_t words = { 1, 2, 3, 4 };
    seL4_MessageInfo_t info = longest(0, LIMEN_INPUT_CAP);
    use_fpu();
    page->before = limen_counter();
    switch (page->command) {
    case DO_VM_FAULT:
        *(volatile seL4_Word *)BAD_ADDRESS = 0;
        break;
    case DO_USER_EXCEPTION:
        __asm__ volatile (UNDEFINED_INSTRUCTION);
        break;
    case DO_CAP_FAULT:
        seL4_SetCap(MOST_CAPS - 1, NOWHERE);
        page->before = limen_counter();
        limen_trap_call(LIMEN_VSPACE_CAP, info, words);
        break;
    case DO_UNKNOWN_SYSCALL:
        limen_trap_plain((seL4_Syscall_ID)NO_SYSCALL, 0);
        break;
    case DO_PUT_CHAR:
        limen_trap_plain(seL4_SysDebugPutChar, 0);
        break;
    default:
        for (;;) {
            page->before = limen_counter();
        }
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
