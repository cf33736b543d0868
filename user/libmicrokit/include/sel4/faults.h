/* Fault messages as values, for handlers that keep them. */
#ifndef SEL4_FAULTS_H
#define SEL4_FAULTS_H

#include <sel4/message.h>

/* The kind of the fault, and the words of its message. */
typedef struct seL4_Fault {
    seL4_Word words[1 + LIMEN_FAULT_WORDS];
} seL4_Fault_t;

static inline seL4_Word seL4_Fault_get_seL4_FaultType(seL4_Fault_t fault)
{
    return fault.words[0];
}

/* seL4_Fault_VMFault_get_Addr and so on. */
#define LIMEN_FAULT_FIELD(kind, field, word)                                      \
    static inline seL4_Word seL4_Fault_##kind##_get_##field(seL4_Fault_t fault) \
    {                                                                             \
        return fault.words[1 + (word)];                                           \
    }
LIMEN_FOR_EACH_FAULT_FIELD(LIMEN_FAULT_FIELD)
#undef LIMEN_FAULT_FIELD

static inline seL4_Bool seL4_isCapFault_tag(seL4_MessageInfo_t tag)
{
    return seL4_MessageInfo_get_label(tag) == seL4_Fault_CapFault;
}

static inline seL4_Bool seL4_isUnknownSyscall_tag(seL4_MessageInfo_t tag)
{
    return seL4_MessageInfo_get_label(tag) == seL4_Fault_UnknownSyscall;
}

static inline seL4_Bool seL4_isUserException_tag(seL4_MessageInfo_t tag)
{
    return seL4_MessageInfo_get_label(tag) == seL4_Fault_UserException;
}

static inline seL4_Bool seL4_isTimeoutFault_tag(seL4_MessageInfo_t tag)
{
    return seL4_MessageInfo_get_label(tag) == seL4_Fault_Timeout;
}

static inline seL4_Bool seL4_isVMFault_tag(seL4_MessageInfo_t tag)
{
    return seL4_MessageInfo_get_label(tag) == seL4_Fault_VMFault;
}

/* The fault whose message was received last; a null fault for any other message. */
static inline seL4_Fault_t seL4_getFault(seL4_MessageInfo_t tag)
{
    seL4_Fault_t fault = {{ seL4_Fault_NullFault }};
    if (!(seL4_isCapFault_tag(tag) || seL4_isUnknownSyscall_tag(tag) || seL4_isUserException_tag(tag) ||
          seL4_isTimeoutFault_tag(tag) || seL4_isVMFault_tag(tag))) {
        return fault;
    }
    fault.words[0] = seL4_MessageInfo_get_label(tag);
    seL4_Word i, length = seL4_MessageInfo_get_length(tag);
    for (i = 0; i < length && i < LIMEN_FAULT_WORDS; i++) {
        fault.words[1 + i] = seL4_GetMR(LIMEN_VALUE(int, i));
    }
    return fault;
}

#endif /* SEL4_FAULTS_H */
