/* A child that carries out orders and records its progress. */

#include "orders.h"

#define PARENT 1

/* Memory shared with the parent; set by the tool. */
seL4_Word orders;

extern char again[];
extern char load_instruction[], undefined_instruction[], breakpoint_instruction[];
extern char system_call_instruction[], call_instruction[], receive_instruction[];
seL4_Word load(seL4_Word address);
void park(void);
void undefined(void);
void breakpoint(void);
seL4_Word system_call(seL4_Word number);
seL4_Word call(seL4_Word cptr);
seL4_Word receive(seL4_Word cptr);

static struct orders *shared(void)
{
    return (struct orders *)orders;
}

/* The instruction that the parent should see in the fault. */
static void announce(const char *instruction)
{
    shared()->instruction = (seL4_Word)instruction;
}

static void do_load(void)
{
    announce(load_instruction);
    shared()->result = load(shared()->address);
}

static void do_undefined(void)
{
    announce(undefined_instruction);
    undefined();
}

static void do_breakpoint(void)
{
    announce(breakpoint_instruction);
    breakpoint();
}

static void do_system_call(void)
{
    announce(system_call_instruction);
    shared()->result = system_call(shared()->number);
}

static void do_call(void)
{
    announce(call_instruction);
    shared()->result = call(shared()->address);
}

static void do_receive(void)
{
    announce(receive_instruction);
    shared()->result = receive(shared()->address);
}

static void do_count(void)
{
    for (;;) {
        shared()->counter++;
        microkit_notify(PARENT);
    }
}

static void do_nothing(void)
{
}

void init(void)
{
    static void (*const actions[])(void) = {
        [IDLE] = do_nothing,
        [LOAD] = do_load,
        [UNDEFINED] = do_undefined,
        [BREAKPOINT] = do_breakpoint,
        [SYSTEM_CALL] = do_system_call,
        [CALL] = do_call,
        [RECEIVE] = do_receive,
        [COUNT] = do_count,
    };
    shared()->starts++;
    shared()->again = (seL4_Word)again;
    actions[shared()->order]();
    if (shared()->order != IDLE) {
        shared()->survived++;
        microkit_notify(PARENT);
    }
}

/* Runs after init following a restart on the other stack. */
void park(void)
{
    for (;;) {
        seL4_Word badge;
        seL4_Wait(LIMEN_INPUT_CAP, &badge);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
