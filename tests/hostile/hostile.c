/* Attacks as ordered, and continues with the next attempt when its parent restarts it. */

#include "attack.h"
#include "code.h"
#include "instructions.h"
#include "random.h"

#define SLOTS 600
#define CHILD 7

/* Channels to servers. */
#define ACTIVE 0
#define PASSIVE 1

/* Set by the tool: memory shared with tester and keeper, and a page that is seen twice, to write and to execute. */
seL4_Word attack_state;
seL4_Word code_to_write;
seL4_Word code_to_run;

void system_call_with(const seL4_Word *registers);
void run_with(const seL4_Word *registers, seL4_Word address, seL4_Word stack) __attribute__((noreturn));

/* The registers of a system call, as system_call_with takes them. */
enum { CPTR, INFO, MR0, MR1, MR2, MR3, REPLY, NUMBER, DEST, REGISTERS };

static struct attack_state *shared(void)
{
    return (struct attack_state *)attack_state;
}

/* Excludes the channel to the UART program, to keep the console readable. */
static seL4_Word harmless(seL4_Word number)
{
    return number == (seL4_Word)seL4_SysDebugPutChar ? (seL4_Word)seL4_SysYield : number;
}

static void attack_with(seL4_Word *registers)
{
    registers[NUMBER] = harmless(registers[NUMBER]);
    system_call_with(registers);
}

static void scribble_message_buffer(void)
{
    seL4_Word *buffer = (seL4_Word *)seL4_GetIPCBuffer();
    for (seL4_Word i = random_below(8); i; i--) {
        buffer[random_below(LIMEN_BUFFER_WORDS)] = random_interesting();
    }
}

/* Any label, any number of capabilities and words. */
static seL4_Word random_info(void)
{
    seL4_Word label = random_below(2) ? random_below(70) : random_interesting();
    return seL4_MessageInfo_new(label, random_below(8), random_below(4), random_below(128)).words[0];
}

static void attack_slots(seL4_Word attempt)
{
    seL4_Word registers[REGISTERS] = { 0 };
    registers[CPTR] = attempt % SLOTS;
    registers[INFO] = random_below(2) ? random_info() : random_interesting();
    registers[REPLY] = random_below(2) ? LIMEN_REPLY_CAP : random_below(SLOTS);
    registers[NUMBER] = -(attempt / SLOTS % 11) - 1;
    registers[DEST] = random_below(SLOTS);
    attack_with(registers);
}

/* The first slot of a window, or one of the few before them. */
static seL4_Word used_slot(void)
{
    static const seL4_Word starts[] = {
        BASE_OUTPUT_NOTIFICATION_CAP, BASE_ENDPOINT_CAP, BASE_IRQ_CAP, BASE_TCB_CAP, BASE_USER_CAPS,
    };
    return random_below(2) ? random_below(10) : starts[random_below(5)] + random_below(10);
}

static void attack_methods(void)
{
    scribble_message_buffer();
    seL4_MessageInfo_t request = seL4_MessageInfo_new(random_below(70), random_below(8), random_below(4),
                                                      random_below(128));
    for (int i = 0; i < 4; i++) {
        seL4_SetMR(i, random_interesting());
    }
    seL4_Call(used_slot(), request);
}

static void attack_registers(void)
{
    seL4_Word registers[REGISTERS];
    scribble_message_buffer();
    for (int i = 0; i < REGISTERS; i++) {
        registers[i] = random_interesting();
    }
    if (random_below(2)) {
        registers[INFO] = random_info();
    }
    if (random_below(2)) {
        registers[CPTR] = used_slot();
    }
    if (random_below(8)) {
        registers[NUMBER] = -random_below(16);
    }
    attack_with(registers);
}

static void attack_child(void)
{
    static const seL4_Word methods[] = { TCBReadRegisters, TCBWriteRegisters, TCBSuspend, TCBResume, 0, 99 };
    scribble_message_buffer();
    seL4_SetMR(0, random_below(4));
    seL4_SetMR(1, random_below(2) ? random_below(40) : random_interesting());
    for (int i = 2; i < 40; i++) {
        seL4_SetMR(i, random_interesting());
    }
    seL4_Call(BASE_TCB_CAP + CHILD, seL4_MessageInfo_new(methods[random_below(6)], 0, 0, random_below(128)));
}

static void attack_addresses(void)
{
    seL4_Word address = random_interesting();
    switch (random_below(3)) {
    case 0:
        (void)*(volatile char *)address;
        break;
    case 1:
        /* Excludes its own memory, which it needs to continue. */
        if (address >= 0x10000000) {
            *(volatile char *)address = 0;
        }
        break;
    default:
        ((void (*)(void))address)();
        break;
    }
}

#define CODE_WORDS 64

static void attack_instructions(void)
{
    volatile seL4_Uint32 *code = (volatile seL4_Uint32 *)code_to_write;
    for (int i = 0; i < CODE_WORDS; i++) {
        code[i] = without_defects((seL4_Uint32)random_word());
    }
    publish_code(code_to_write, code_to_run, 4 * CODE_WORDS);
    /* The stack is in the same page. */
    seL4_Word registers[30];
    for (int i = 0; i < 30; i++) {
        registers[i] = random_interesting();
    }
    run_with(registers, code_to_run, code_to_write + 2048);
}

static void rest(void)
{
    seL4_Word badge;
    seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
}

static void attack_once(seL4_Word attempt)
{
    switch (shared()->attack) {
    case ATTACK_SLOTS:
        attack_slots(attempt);
        break;
    case ATTACK_METHODS:
        attack_methods();
        break;
    case ATTACK_REGISTERS:
        attack_registers();
        break;
    case ATTACK_CHILD:
        attack_child();
        break;
    case ATTACK_ADDRESSES:
        attack_addresses();
        break;
    case ATTACK_INSTRUCTIONS:
        attack_instructions();
        break;
    case ATTACK_FAULT:
        shared()->attack = ATTACK_REST;
        __asm__ volatile (UNDEFINED_INSTRUCTION);
        break;
    default:
        rest();
        break;
    }
}

void init(void)
{
    for (;;) {
        attack_once(shared()->attempts++);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
