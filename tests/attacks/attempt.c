#include "attempt.h"

#include "architecture.h"
#include "instructions.h"
#include "neighbours.h"
#include "print.h"
#include "text.h"

seL4_UserContext registers;
struct report report;

/* The current attempt. */
static const char *attempt_name;
static seL4_Word attempt_number;
static seL4_Bool complained;

/* The current series. */
static seL4_Word attempts;
static seL4_Word failures;

void prepare(seL4_Word pc)
{
    seL4_Word *words = (seL4_Word *)&registers;
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        words[i] = DATA + 0x100 + 8 * i;
    }
    registers.PROGRAM_COUNTER = pc;
    registers.STACK_POINTER = STACK;
    set_flags(&registers, FLAGS_ORDINARY);
}

void begin(const char *name, seL4_Word number)
{
    attempt_name = name;
    attempt_number = number;
    complained = seL4_False;
    attempts++;
}

void await(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t message;
    do {
        message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    } while (badge != (LIMEN_BADGE_CHILD_FAULT | CULPRIT));
    report.label = seL4_MessageInfo_get_label(message);
    report.length = seL4_MessageInfo_get_length(message);
    for (seL4_Word i = 0; i < seL4_UnknownSyscall_Length; i++) {
        report.words[i] = seL4_GetMR((int)i);
    }
}

void attempt(void)
{
    seL4_TCB_WriteRegisters(CULPRIT_THREAD, seL4_True, 0, LIMEN_CONTEXT_WORDS, &registers);
    await();
}

void attempt_with_answer(seL4_Word words)
{
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, words));
    await();
}

void expect(const char *what, seL4_Word got, seL4_Word wanted)
{
    if (got == wanted || complained) {
        return;
    }
    complained = seL4_True;
    failures++;
    struct text line = TEXT_EMPTY;
    text_add(&line, "ATTACK ");
    text_add(&line, attempt_name);
    text_add(&line, " ");
    text_add_hexadecimal(&line, attempt_number);
    text_add(&line, ": ");
    text_add(&line, what);
    text_add(&line, " is ");
    text_add_hexadecimal(&line, got);
    text_add(&line, ", not ");
    text_add_hexadecimal(&line, wanted);
    text_add(&line, "\n");
    print(text_terminated(&line));
}

void expect_exception(seL4_Word pc, seL4_Word number, seL4_Word code)
{
    expect("the label", report.label, seL4_Fault_UserException);
    expect("the length", report.length, seL4_UserException_Length);
    expect("the program counter", report.words[seL4_UserException_FaultIP], pc);
    expect("the number", report.words[seL4_UserException_Number], number);
    expect("the code", report.words[seL4_UserException_Code], code);
}

void expect_system_call(seL4_Word pc, seL4_Word number)
{
    expect("the label", report.label, seL4_Fault_UnknownSyscall);
    expect("the length", report.length, seL4_UnknownSyscall_Length);
    expect("the program counter", report.words[seL4_UnknownSyscall_FaultIP], pc);
    expect("the number", report.words[seL4_UnknownSyscall_Syscall], number);
}

void expect_memory_fault(seL4_Word pc, seL4_Word address, seL4_Word fetched)
{
    expect("the label", report.label, seL4_Fault_VMFault);
    expect("the length", report.length, seL4_VMFault_Length);
    expect("the program counter", report.words[seL4_VMFault_IP], pc);
    expect("the address", report.words[seL4_VMFault_Addr], address);
    expect("whether it was a fetch", report.words[seL4_VMFault_PrefetchFault], fetched);
}

void expect_registers(seL4_Word pc)
{
    seL4_UserContext found;
    const seL4_Word *words = (seL4_Word *)&found;
    seL4_TCB_ReadRegisters(CULPRIT_THREAD, seL4_False, 0, LIMEN_CONTEXT_WORDS, &found);
    forgive_flags(&found);
    expect("the program counter's register", found.PROGRAM_COUNTER, pc);
    registers.PROGRAM_COUNTER = pc;
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        expect("a register", words[i], ((seL4_Word *)&registers)[i]);
    }
}

void end_series(const char *name)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "ATTACKS ");
    text_add(&line, name);
    text_add(&line, ": ");
    text_add_decimal(&line, attempts);
    text_add(&line, " made, ");
    text_add_decimal(&line, attempts - failures);
    text_add(&line, " as documented\n");
    print(text_terminated(&line));
    CHECK(attempts > 0);
    CHECK_EQUAL(failures, 0);
    attempts = 0;
    failures = 0;
    ask_neighbours();
}
