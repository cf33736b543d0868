/* The parent of the hostile program: restarts it whenever it faults or the tester finds it blocked. */

#include "attack.h"
#include "instructions.h"

/* Set by the tool. */
seL4_Word attack_state;
seL4_Word hostile_id;

/* Entry and initial stack pointer of every program. Both are among the first three registers everywhere. */
#define ENTRY 0x200000ul
#define STACK_TOP (LIMEN_IPC_BUFFER_ADDRESS - 0x1000)

static void start_over(void)
{
    seL4_UserContext context = { .PROGRAM_COUNTER = ENTRY, .STACK_POINTER = STACK_TOP };
    ((struct attack_state *)attack_state)->restarts++;
    seL4_Error error = seL4_TCB_WriteRegisters(BASE_TCB_CAP + hostile_id, seL4_True, 0, 3, &context);
    if (error != seL4_NoError) {
        microkit_internal_crash(error);
    }
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    start_over();
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    (void)message;
    (void)answer;
    start_over();
    return seL4_False;
}
