/* System calls on endpoints, notifications and reply objects.
 *
 * A plain call takes message words 0 to 3 from the IPC buffer and leaves the received ones there; a call whose name
 * ends in WithMRs passes them as arguments instead and leaves the buffer alone. A WithMRs argument may be null: a
 * word that is not sent, or not wanted. */
#ifndef SEL4_SYSCALLS_H
#define SEL4_SYSCALLS_H

#include <sel4/trap.h>

LIMEN_INLINE limen_words_t limen_load_words(const seL4_IPCBuffer *buffer)
{
    limen_words_t words = { buffer->msg[0], buffer->msg[1], buffer->msg[2], buffer->msg[3] };
    return words;
}

LIMEN_INLINE void limen_store_words(seL4_IPCBuffer *buffer, limen_words_t words)
{
    buffer->msg[0] = words.mr0;
    buffer->msg[1] = words.mr1;
    buffer->msg[2] = words.mr2;
    buffer->msg[3] = words.mr3;
}

LIMEN_INLINE limen_words_t limen_gather_words(const seL4_Word *mr0, const seL4_Word *mr1, const seL4_Word *mr2,
                                              const seL4_Word *mr3)
{
    limen_words_t words = { mr0 ? *mr0 : 0, mr1 ? *mr1 : 0, mr2 ? *mr2 : 0, mr3 ? *mr3 : 0 };
    return words;
}

LIMEN_INLINE void limen_scatter_words(limen_words_t words, seL4_Word *mr0, seL4_Word *mr1, seL4_Word *mr2,
                                      seL4_Word *mr3)
{
    if (mr0) {
        *mr0 = words.mr0;
    }
    if (mr1) {
        *mr1 = words.mr1;
    }
    if (mr2) {
        *mr2 = words.mr2;
    }
    if (mr3) {
        *mr3 = words.mr3;
    }
}

/* Hands a received message to the caller of a plain call. `sender` may be null. */
LIMEN_INLINE seL4_MessageInfo_t limen_deliver(limen_received_t received, seL4_Word *sender)
{
    limen_store_words(seL4_GetIPCBuffer(), received.words);
    if (sender) {
        *sender = received.badge;
    }
    return received.info;
}

/* Hands a received message to the caller of a WithMRs call. */
LIMEN_INLINE seL4_MessageInfo_t limen_deliver_words(limen_received_t received, seL4_Word *sender, seL4_Word *mr0,
                                                    seL4_Word *mr1, seL4_Word *mr2, seL4_Word *mr3)
{
    limen_scatter_words(received.words, mr0, mr1, mr2, mr3);
    if (sender) {
        *sender = received.badge;
    }
    return received.info;
}

/* Sends, and waits until the message is taken. */
LIMEN_INLINE void seL4_Send(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    limen_trap_send(seL4_SysSend, dest, msgInfo, limen_load_words(seL4_GetIPCBuffer()));
}

LIMEN_INLINE void seL4_SendWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_Word *mr0, seL4_Word *mr1,
                                   seL4_Word *mr2, seL4_Word *mr3)
{
    limen_trap_send(seL4_SysSend, dest, msgInfo, limen_gather_words(mr0, mr1, mr2, mr3));
}

/* Sends if somebody is waiting. */
LIMEN_INLINE void seL4_NBSend(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    limen_trap_send(seL4_SysNBSend, dest, msgInfo, limen_load_words(seL4_GetIPCBuffer()));
}

LIMEN_INLINE void seL4_NBSendWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_Word *mr0, seL4_Word *mr1,
                                     seL4_Word *mr2, seL4_Word *mr3)
{
    limen_trap_send(seL4_SysNBSend, dest, msgInfo, limen_gather_words(mr0, mr1, mr2, mr3));
}

/* Sends, and waits for the answer. Words are loaded even for an empty message: those that the answer does not set
 * must still be in the buffer afterwards. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Call(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    return limen_deliver(limen_trap_call(dest, msgInfo, limen_load_words(seL4_GetIPCBuffer())), (seL4_Word *)0);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_CallWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_Word *mr0,
                                                 seL4_Word *mr1, seL4_Word *mr2, seL4_Word *mr3)
{
    limen_received_t answer = limen_trap_call(dest, msgInfo, limen_gather_words(mr0, mr1, mr2, mr3));
    return limen_deliver_words(answer, (seL4_Word *)0, mr0, mr1, mr2, mr3);
}

/* Waits for a message; a caller is kept in the reply object. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Recv(seL4_CPtr src, seL4_Word *sender, seL4_CPtr reply)
{
    return limen_deliver(limen_trap_receive(seL4_SysRecv, src, reply), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_RecvWithMRs(seL4_CPtr src, seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                 seL4_Word *mr2, seL4_Word *mr3, seL4_CPtr reply)
{
    return limen_deliver_words(limen_trap_receive(seL4_SysRecv, src, reply), sender, mr0, mr1, mr2, mr3);
}

/* Takes a message if one is there; the badge is 0 if not. */
LIMEN_INLINE seL4_MessageInfo_t seL4_NBRecv(seL4_CPtr src, seL4_Word *sender, seL4_CPtr reply)
{
    return limen_deliver(limen_trap_receive(seL4_SysNBRecv, src, reply), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_NBRecvWithMRs(seL4_CPtr src, seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                   seL4_Word *mr2, seL4_Word *mr3, seL4_CPtr reply)
{
    return limen_deliver_words(limen_trap_receive(seL4_SysNBRecv, src, reply), sender, mr0, mr1, mr2, mr3);
}

/* Waits for a message or a notification, without a reply object. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Wait(seL4_CPtr src, seL4_Word *sender)
{
    return limen_deliver(limen_trap_receive(seL4_SysWait, src, seL4_CapNull), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_WaitWithMRs(seL4_CPtr src, seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                 seL4_Word *mr2, seL4_Word *mr3)
{
    return limen_deliver_words(limen_trap_receive(seL4_SysWait, src, seL4_CapNull), sender, mr0, mr1, mr2, mr3);
}

/* Takes a message or a notification if one is there; the badge is 0 if not. */
LIMEN_INLINE seL4_MessageInfo_t seL4_NBWait(seL4_CPtr src, seL4_Word *sender)
{
    return limen_deliver(limen_trap_receive(seL4_SysNBWait, src, seL4_CapNull), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_NBWaitWithMRs(seL4_CPtr src, seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                   seL4_Word *mr2, seL4_Word *mr3)
{
    return limen_deliver_words(limen_trap_receive(seL4_SysNBWait, src, seL4_CapNull), sender, mr0, mr1, mr2, mr3);
}

/* Asks a notification whether it was signalled. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Poll(seL4_CPtr src, seL4_Word *sender)
{
    return seL4_NBWait(src, sender);
}

/* Answers the caller in the reply object, then waits for the next message. */
LIMEN_INLINE seL4_MessageInfo_t seL4_ReplyRecv(seL4_CPtr src, seL4_MessageInfo_t msgInfo, seL4_Word *sender,
                                               seL4_CPtr reply)
{
    limen_words_t words = limen_load_words(seL4_GetIPCBuffer());
    return limen_deliver(limen_trap_send_receive(seL4_SysReplyRecv, src, msgInfo, words, reply), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_ReplyRecvWithMRs(seL4_CPtr src, seL4_MessageInfo_t msgInfo, seL4_Word *sender,
                                                      seL4_Word *mr0, seL4_Word *mr1, seL4_Word *mr2, seL4_Word *mr3,
                                                      seL4_CPtr reply)
{
    limen_words_t words = limen_gather_words(mr0, mr1, mr2, mr3);
    return limen_deliver_words(limen_trap_send_receive(seL4_SysReplyRecv, src, msgInfo, words, reply), sender, mr0, mr1,
                               mr2, mr3);
}

/* Sends if somebody is waiting, then waits for a message. */
LIMEN_INLINE seL4_MessageInfo_t seL4_NBSendRecv(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_CPtr src,
                                                seL4_Word *sender, seL4_CPtr reply)
{
    limen_words_t words = limen_load_words(seL4_GetIPCBuffer());
    return limen_deliver(limen_trap_nb_send_recv(dest, src, msgInfo, words, reply), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_NBSendRecvWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_CPtr src,
                                                       seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                       seL4_Word *mr2, seL4_Word *mr3, seL4_CPtr reply)
{
    limen_words_t words = limen_gather_words(mr0, mr1, mr2, mr3);
    return limen_deliver_words(limen_trap_nb_send_recv(dest, src, msgInfo, words, reply), sender, mr0, mr1, mr2, mr3);
}

/* Sends if somebody is waiting, then waits without a reply object. The destination travels in its register. */
LIMEN_INLINE seL4_MessageInfo_t seL4_NBSendWait(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_CPtr src,
                                                seL4_Word *sender)
{
    limen_words_t words = limen_load_words(seL4_GetIPCBuffer());
    return limen_deliver(limen_trap_send_receive(seL4_SysNBSendWait, src, msgInfo, words, dest), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_NBSendWaitWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_CPtr src,
                                                       seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                       seL4_Word *mr2, seL4_Word *mr3)
{
    limen_words_t words = limen_gather_words(mr0, mr1, mr2, mr3);
    return limen_deliver_words(limen_trap_send_receive(seL4_SysNBSendWait, src, msgInfo, words, dest), sender, mr0, mr1,
                               mr2, mr3);
}

/* Sets the badge's bits in a notification. Never waits. */
LIMEN_INLINE void seL4_Signal(seL4_CPtr dest)
{
    limen_trap_send_empty(seL4_SysSend, dest, seL4_MessageInfo_new(0, 0, 0, 0));
}

/* Lets others of the same priority run first. */
LIMEN_INLINE void seL4_Yield(void)
{
    limen_trap_plain(seL4_SysYield, 0);
}

#if defined(CONFIG_PRINTING)
/* Prints one character on the debug console. */
LIMEN_INLINE void seL4_DebugPutChar(char c)
{
    limen_trap_plain(seL4_SysDebugPutChar, (seL4_Word)(unsigned char)c);
}
#endif

#endif /* SEL4_SYSCALLS_H */
