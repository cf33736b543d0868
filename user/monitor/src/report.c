/* Fault reports: the program, its registers, and the cause. */

#include "monitor.h"

/* A copy of the fault message, made before the next system call overwrites the IPC buffer. */
typedef struct fault_message {
    seL4_Word label;
    seL4_Word words[seL4_CapFault_GuardMismatch_BitsFound + 1];
} fault_message_t;

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static fault_message_t save_message(seL4_MessageInfo_t message)
{
    fault_message_t saved;
    saved.label = seL4_MessageInfo_get_label(message);
    for (seL4_Word i = 0; i < LENGTH_OF(saved.words); i++) {
        saved.words[i] = seL4_GetMR((int)i);
    }
    return saved;
}

#define QUOTE_REGISTER(name) #name,
static const char *const register_names[] = { LIMEN_FOR_EACH_REGISTER(QUOTE_REGISTER) };

/* The stack pointer's line has one space less than the others, as in the reference's reports. */
static void print_registers(seL4_TCB tcb)
{
    seL4_UserContext context;
    seL4_Error error = seL4_TCB_ReadRegisters(tcb, seL4_False, 0, LIMEN_CONTEXT_WORDS, &context);
    if (error != seL4_NoError) {
        print_half("MON|ERROR: cannot read registers, error ", error);
        microkit_dbg_puts("\n");
        return;
    }
    microkit_dbg_puts("Registers: \n");
    for (seL4_Word i = 0; i < LENGTH_OF(register_names); i++) {
        microkit_dbg_puts(register_names[i]);
        print_word(i == LIMEN_STACK_POINTER ? ": " : " : ", ((const seL4_Word *)&context)[i]);
        microkit_dbg_puts("\n");
    }
}

static void report_vm_fault(const seL4_Word *words, seL4_Word stack_bottom)
{
    seL4_Word address = words[seL4_VMFault_Addr];
    print_word("MON|ERROR: VMFault: ip=", words[seL4_VMFault_IP]);
    print_word("  fault_addr=", address);
    print_word("  fsr=", words[seL4_VMFault_FSR]);
    microkit_dbg_puts(words[seL4_VMFault_PrefetchFault] ? "  (instruction fault)\n" : "  (data fault)\n");
    describe_vm_fault(words[seL4_VMFault_FSR]);
    if (address < stack_bottom && stack_bottom - address <= 1ul << seL4_PageBits) {
        microkit_dbg_puts("MON|ERROR: potential stack overflow, "
                          "fault address within one page outside of stack region\n");
    }
}

static const char *lookup_failure_name(seL4_Word failure)
{
    switch (failure) {
    case seL4_InvalidRoot:
        return "seL4_InvalidRoot";
    case seL4_MissingCapability:
        return "seL4_MissingCapability";
    case seL4_DepthMismatch:
        return "seL4_DepthMismatch";
    case seL4_GuardMismatch:
        return "seL4_GuardMismatch";
    default:
        return "unknown";
    }
}

static void report_cap_fault(const seL4_Word *words)
{
    seL4_Word failure = words[seL4_CapFault_LookupFailureType];
    print_word("MON|ERROR: CapFault: ip=", words[seL4_CapFault_IP]);
    print_word("  fault_addr=", words[seL4_CapFault_Addr]);
    microkit_dbg_puts("  in_recv_phase=");
    microkit_dbg_puts(words[seL4_CapFault_InRecvPhase] ? "true" : "false");
    microkit_dbg_puts("  lookup_failure_type=");
    microkit_dbg_puts(lookup_failure_name(failure));
    if (failure != seL4_InvalidRoot) {
        print_word("  bits_left=", words[seL4_CapFault_BitsLeft]);
    }
    if (failure == seL4_DepthMismatch) {
        print_word("  bits_found=", words[seL4_CapFault_DepthMismatch_BitsFound]);
    }
    if (failure == seL4_GuardMismatch) {
        print_word("  guard_found=", words[seL4_CapFault_GuardMismatch_GuardFound]);
        print_word("  bits_found=", words[seL4_CapFault_GuardMismatch_BitsFound]);
    }
    microkit_dbg_puts("\n");
}

static void report_timeout(const seL4_Word *words)
{
    print_word("MON|ERROR: Timeout: budget used up, data=", words[seL4_Timeout_Data]);
    print_word("  consumed_us=", words[seL4_Timeout_Consumed]);
    microkit_dbg_puts("\n");
}

static void report_cause(const fault_message_t *fault, seL4_Word stack_bottom)
{
    switch (fault->label) {
    case seL4_Fault_CapFault:
        report_cap_fault(fault->words);
        break;
    case seL4_Fault_VMFault:
        report_vm_fault(fault->words, stack_bottom);
        break;
    case seL4_Fault_Timeout:
        report_timeout(fault->words);
        break;
    case seL4_Fault_UserException:
        microkit_dbg_puts("MON|ERROR: UserException\n");
        describe_exception(fault->words[seL4_UserException_Number]);
        break;
    default:
        microkit_dbg_puts("MON|ERROR: Unknown fault\n");
        break;
    }
}

void report_fault(seL4_MessageInfo_t message, seL4_Word badge)
{
    fault_message_t fault = save_message(message);
    seL4_Word index = badge - 1;
    seL4_TCB tcb = LIMEN_MONITOR_BASE_TCB + index;
    print_half("MON|ERROR: received message ", fault.label);
    print_word("  badge: ", badge);
    print_word("  tcb cap: ", tcb);
    microkit_dbg_puts("\nMON|ERROR: faulting PD: ");
    print_name(pd_names[index]);
    microkit_dbg_puts("\n");
    print_registers(tcb);
    report_cause(&fault, pd_stack_bottom_addrs[index]);
    report_stack(index);
}
