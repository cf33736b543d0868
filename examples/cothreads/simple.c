/* Three cothreads that say hello. */

#include <microkit.h>
#include <libmicrokitco.h>

#include "say.h"

#define STACK_SIZE 0x1000

char co_mem[LIBMICROKITCO_CONTROLLER_SIZE];
char stack_1[STACK_SIZE];
char stack_2[STACK_SIZE];
char stack_3[STACK_SIZE];

static void hello(void)
{
    microkit_cothread_t self;
    microkit_cothread_my_handle(&self);
    say("CO");
    say_number((unsigned long)self);
    say(": hello world\n");
}

void init(void)
{
    microkit_cothread_t handle;
    say("CLIENT: starting\n");
    say("CLIENT: libmicrokitco derived memsize is ");
    say_number(LIBMICROKITCO_CONTROLLER_SIZE);
    say(" bytes\n");
    must(microkit_cothread_init((uintptr_t)co_mem, STACK_SIZE, (uintptr_t)stack_1, (uintptr_t)stack_2,
                                (uintptr_t)stack_3));
    say("CLIENT: libmicrokitco started\n");
    for (int i = 0; i < 3; i++) {
        must(microkit_cothread_spawn(hello, true, &handle, 0));
    }
    if (microkit_cothread_spawn(hello, true, &handle, 0) == co_err_spawn_max_cothreads_reached) {
        say("CLIENT: cothreads limit test passed\n");
    }
    say("CLIENT: cothreads spawned\n");
    microkit_cothread_yield();
    say("CLIENT: done, exiting!\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
