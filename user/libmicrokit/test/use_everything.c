/* Calls every function of the C interface, so that compilers check all of it. Valid C and C++; never run. */

#include <microkit.h>
#include <limen.h>

static seL4_Word sink;

#if defined(__cplusplus)
#define _Static_assert static_assert
#endif
/* Bindings of other languages rely on the widths of the reference. */
#if defined(CONFIG_ARCH_RISCV)
#define WIDTH_OF_MESSAGE sizeof(int)
#else
#define WIDTH_OF_MESSAGE sizeof(seL4_Word)
#endif
_Static_assert(seL4_NumErrors == 11 && seL4_NumErrors == seL4_NotEnoughMemory + 1, "errors are counted");
_Static_assert(sizeof(seL4_TCBFlag) == sizeof(seL4_Word), "flags are a word");
_Static_assert(sizeof(seL4_LookupFailureType) == sizeof(seL4_Word), "a failure of a lookup is a word");
_Static_assert(sizeof(seL4_CapFault_Msg) == sizeof(seL4_Word), "this one is a word everywhere");
_Static_assert(sizeof(seL4_Timeout_Msg) == WIDTH_OF_MESSAGE, "as wide as the reference's");
_Static_assert(sizeof(seL4_VMFault_Msg) == WIDTH_OF_MESSAGE, "as wide as the reference's");
_Static_assert(sizeof(seL4_UserException_Msg) == WIDTH_OF_MESSAGE, "as wide as the reference's");
_Static_assert(sizeof(seL4_UnknownSyscall_Msg) == WIDTH_OF_MESSAGE, "as wide as the reference's");

static void use_fault(seL4_MessageInfo_t tag)
{
    seL4_SetTag(tag);
    seL4_Fault_t fault = seL4_getFault(seL4_GetTag());
    sink += seL4_Fault_get_seL4_FaultType(fault) + seL4_Fault_VMFault_get_Addr(fault);
    sink += seL4_Fault_CapFault_get_InRecvPhase(fault) + seL4_Fault_UserException_get_Number(fault);
    sink += seL4_Fault_UnknownSyscall_get_FaultIP(fault) + seL4_Fault_Timeout_get_consumed(fault);
    sink += LIMEN_VALUE(seL4_Word, seL4_isCapFault_tag(tag) + seL4_isUnknownSyscall_tag(tag) +
                                       seL4_isUserException_tag(tag) + seL4_isTimeoutFault_tag(tag) +
                                       seL4_isVMFault_tag(tag));
}

static void use_rights(void)
{
    seL4_CapRights_t all[] = { seL4_NoRights, seL4_CanWrite, seL4_CanRead, seL4_ReadWrite, seL4_CanGrant,
                               seL4_CanGrantReply, seL4_NoWrite, seL4_NoRead, seL4_AllRights };
    for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        sink += seL4_CapRights_get_capAllowRead(all[i]) + seL4_CapRights_get_capAllowWrite(all[i]);
        sink += seL4_CapRights_get_capAllowGrant(all[i]) + seL4_CapRights_get_capAllowGrantReply(all[i]);
    }
}

#if defined(CONFIG_DEBUG_BUILD)
static void add(void *number)
{
    sink += *LIMEN_ADDRESS(seL4_Word *, number);
}
#endif

#if !defined(CONFIG_LIB_LIMEN_OLDER_NAME)
/* Programs for the present board names bring their own. */
static void memzero(volatile unsigned char *start, unsigned long count)
{
    while (count--) {
        *start++ = 0;
    }
}
#endif

static void take(seL4_MessageInfo_t info)
{
    sink += seL4_MessageInfo_get_label(info) + seL4_MessageInfo_get_length(info);
    sink += seL4_MessageInfo_get_extraCaps(info) + seL4_MessageInfo_get_capsUnwrapped(info);
}

static seL4_MessageInfo_t build(seL4_Word label, seL4_Word length)
{
    seL4_MessageInfo_t info = seL4_MessageInfo_new(label, 0, 0, length);
    info = seL4_MessageInfo_set_label(info, label + 1);
    info = seL4_MessageInfo_set_capsUnwrapped(info, 0);
    info = seL4_MessageInfo_set_extraCaps(info, 1);
    return seL4_MessageInfo_set_length(info, 2);
}

static void use_buffer(void)
{
    seL4_SetMR(0, seL4_GetMR(1));
    seL4_SetUserData(seL4_GetUserData());
    seL4_SetCap(0, seL4_GetCap(1));
    sink += seL4_GetBadge(0) + seL4_GetIPCBuffer()->receiveDepth + __sel4_ipc_buffer->userData;
}

static void use_sends(seL4_CPtr cptr)
{
    seL4_Word a = 1, b = 2;
    seL4_Send(cptr, build(1, 2));
    seL4_NBSend(cptr, build(1, 2));
    seL4_SendWithMRs(cptr, build(1, 2), &a, &b, 0, 0);
    seL4_NBSendWithMRs(cptr, build(1, 2), &a, 0, &b, 0);
    seL4_Signal(cptr);
    seL4_Yield();
    use_fault(build(1, 2));
    use_rights();
#if defined(CONFIG_DEBUG_BUILD)
    seL4_DebugNameThread(cptr, "name");
    seL4_DebugRun(add, &a);
#endif
#if defined(CONFIG_PRINTING)
    seL4_DebugPutChar('x');
#endif
}

static void use_benchmark(seL4_CPtr cptr)
{
#if defined(CONFIG_ENABLE_BENCHMARKS)
    sink += LIMEN_VALUE(seL4_Word, seL4_BenchmarkResetLog());
    sink += LIMEN_VALUE(seL4_Word, seL4_BenchmarkSetLogBuffer(cptr));
    seL4_BenchmarkNullSyscall();
    sink += seL4_BenchmarkFinalizeLog();
    seL4_BenchmarkGetThreadUtilisation(cptr);
    seL4_BenchmarkResetThreadUtilisation(cptr);
    sink += seL4_GetMR(BENCHMARK_TOTAL_UTILISATION);
#endif
    sink += cptr;
}

static void use_receives(seL4_CPtr cptr)
{
    seL4_Word sender, a = 0, b = 0, c = 0, d = 0;
    take(seL4_Call(cptr, build(sink, sink)));
    take(seL4_Call(cptr, seL4_MessageInfo_new(1, 0, 0, 0)));
    take(seL4_CallWithMRs(cptr, build(1, 4), &a, &b, &c, &d));
    take(seL4_Recv(cptr, &sender, 4));
    take(seL4_RecvWithMRs(cptr, &sender, &a, &b, &c, &d, 4));
    take(seL4_NBRecv(cptr, &sender, 4));
    take(seL4_NBRecvWithMRs(cptr, &sender, &a, 0, 0, 0, 4));
    take(seL4_Wait(cptr, &sender));
    take(seL4_WaitWithMRs(cptr, &sender, &a, &b, &c, &d));
    take(seL4_NBWait(cptr, &sender));
    take(seL4_NBWaitWithMRs(cptr, 0, &a, &b, &c, &d));
    take(seL4_Poll(cptr, &sender));
    sink += sender + a + b + c + d;
}

static void use_compound_calls(seL4_CPtr cptr)
{
    seL4_Word sender, a = 0, b = 0, c = 0, d = 0;
    take(seL4_ReplyRecv(cptr, build(1, 2), &sender, 4));
    take(seL4_ReplyRecvWithMRs(cptr, build(1, 2), &sender, &a, &b, &c, &d, 4));
    take(seL4_NBSendRecv(cptr, build(1, 2), 1, &sender, 4));
    take(seL4_NBSendRecvWithMRs(cptr, build(1, 2), 1, &sender, &a, &b, &c, &d, 4));
    take(seL4_NBSendWait(cptr, build(1, 2), 1, &sender));
    take(seL4_NBSendWaitWithMRs(cptr, build(1, 2), 1, &sender, &a, &b, &c, &d));
    sink += sender + a + b + c + d;
}

static seL4_Error use_methods(seL4_CPtr cptr)
{
    seL4_UserContext context;
    seL4_Error error = seL4_TCB_ReadRegisters(cptr, seL4_True, 0, LIMEN_CONTEXT_WORDS, &context);
    if (error != seL4_NoError) {
        return error;
    }
    /* The program counter comes first on every architecture. */
    *LIMEN_ADDRESS(seL4_Word *, &context) += 4;
    error = seL4_TCB_WriteRegisters(cptr, seL4_False, 0, LIMEN_CONTEXT_WORDS, &context);
    seL4_TCB_Suspend(cptr);
    seL4_TCB_Resume(cptr);
    seL4_BootInfoHeader tree = { SEL4_BOOTINFO_HEADER_FDT, sizeof(seL4_BootInfoHeader) };
    sink += tree.id + tree.len;
    seL4_SchedControl_Configure(cptr, 2, 100, 400, 0, 1);
    seL4_SchedControl_ConfigureFlags(cptr, 2, 100, 400, 0, 1, 0);
    seL4_TCB_SetPriority(cptr, 2, 3);
    seL4_TCB_SetMCPriority(cptr, 2, 3);
    seL4_TCB_BindNotification(cptr, 2);
    seL4_TCB_UnbindNotification(cptr);
    seL4_TCB_SetTLSBase(cptr, 0x1000);
#if defined(CONFIG_ALLOW_SMC_CALLS)
    seL4_ARM_SMCContext args = { 0x84000000, 0, 0, 0, 0, 0, 0, 0 }, answer;
    microkit_arm_smc_call(&args, &answer);
    sink += answer.x0;
#endif
#if defined(CONFIG_ARCH_AARCH64)
    seL4_ARM_VSpace_Clean_Data(cptr, 0, 64);
    seL4_ARM_VSpace_Invalidate_Data(cptr, 0, 64);
    seL4_ARM_VSpace_CleanInvalidate_Data(cptr, 0, 64);
    seL4_ARM_VSpace_Unify_Instruction(cptr, 0, 64);
#endif
    seL4_IRQHandler_Ack(cptr);
    seL4_SchedContext_Bind(cptr, 2);
    seL4_SchedContext_Unbind(cptr);
    seL4_SchedContext_UnbindObject(cptr, 2);
    sink += seL4_SchedContext_Consumed(cptr).consumed;
    return error;
}

static void describe_fault(microkit_msginfo info)
{
    switch (microkit_msginfo_get_label(info)) {
    case seL4_Fault_VMFault:
        sink += seL4_GetMR(seL4_VMFault_IP) + seL4_GetMR(seL4_VMFault_Addr) + seL4_GetMR(seL4_VMFault_PrefetchFault)
                + seL4_GetMR(seL4_VMFault_FSR);
        break;
    case seL4_Fault_CapFault:
        sink += seL4_GetMR(seL4_CapFault_IP) + seL4_GetMR(seL4_CapFault_Addr) + seL4_GetMR(seL4_CapFault_InRecvPhase)
                + (seL4_GetMR(seL4_CapFault_LookupFailureType) == seL4_GuardMismatch);
        break;
    case seL4_Fault_UserException:
        sink += seL4_GetMR(seL4_UserException_FaultIP) + seL4_GetMR(seL4_UserException_Number);
        break;
    case seL4_Fault_UnknownSyscall:
        sink += seL4_GetMR(seL4_UnknownSyscall_Syscall);
        break;
    default:
        break;
    }
}

static void use_debug_console(void)
{
    microkit_dbg_putc('x');
    microkit_dbg_puts("text");
    microkit_dbg_put8(1);
    microkit_dbg_put32(sink > seL4_UserTop);
    microkit_dbg_putc(microkit_name[MICROKIT_PD_NAME_LENGTH - 1]);
}

static void use_channels(microkit_channel ch)
{
    microkit_notify(3);
    microkit_notify(ch);
    microkit_irq_ack(ch);
    microkit_deferred_notify(ch);
    microkit_deferred_irq_ack(ch);
    microkit_mr_set(0, microkit_mr_get(1));
    take(microkit_ppcall(1, microkit_msginfo_new(0, 0)));
    take(microkit_ppcall(ch, microkit_msginfo_new(sink, LIMEN_VALUE(seL4_Uint16, sink))));
}

void init(void)
{
    use_buffer();
    use_debug_console();
    use_sends(10);
    use_benchmark(6);
    use_receives(1);
    use_compound_calls(1);
    unsigned char bytes[8];
    memzero(bytes, sizeof(bytes));
    sink += bytes[0] + limen_counter() + microkit_cspace_root_slot_to_cptr(sink);
    sink += microkit_irqs + microkit_notifications + microkit_pps + microkit_ioports + MICROKIT_MAX_CHANNELS;
}

void notified(microkit_channel ch)
{
    use_channels(ch);
    if (microkit_have_signal && microkit_signal_cap == BASE_OUTPUT_NOTIFICATION_CAP + ch) {
        take(microkit_signal_msg);
    }
}

#ifdef __cplusplus
microkit_msginfo microkit_protected(microkit_channel ch, microkit_msginfo msginfo)
#else
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
#endif
{
    sink += ch + microkit_msginfo_get_count(msginfo);
    return microkit_msginfo_new(0, 1);
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    describe_fault(msginfo);
    if (limen_fpu_on_demand(child, msginfo, reply_msginfo) || limen_fpu_forbid(child) != seL4_NoError) {
        return seL4_True;
    }
    microkit_pd_stop(child);
    microkit_pd_resume(child);
    microkit_pd_restart(child, 0x200000);
    if (use_methods(BASE_TCB_CAP + child) != seL4_NoError) {
        microkit_internal_crash(seL4_InvalidArgument);
    }
    *reply_msginfo = microkit_msginfo_new(0, 0);
    return seL4_True;
}
