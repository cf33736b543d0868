/* System calls on endpoints, notifications and reply objects.
 *
 * A plain call takes message words 0 to 3 from the IPC buffer and stores the received words there. A call whose name ends
 * in WithMRs passes them as arguments and does not touch the buffer; a null argument means a word that is not sent or
 * not wanted. */
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

/* Stores a received message for a plain call. `sender` may be null. */
LIMEN_INLINE seL4_MessageInfo_t limen_deliver(limen_received_t received, seL4_Word *sender)
{
    limen_store_words(seL4_GetIPCBuffer(), received.words);
    if (sender) {
        *sender = received.badge;
    }
    return received.info;
}

/* Stores a received message for a WithMRs call. */
LIMEN_INLINE seL4_MessageInfo_t limen_deliver_words(limen_received_t received, seL4_Word *sender, seL4_Word *mr0,
                                                    seL4_Word *mr1, seL4_Word *mr2, seL4_Word *mr3)
{
    limen_scatter_words(received.words, mr0, mr1, mr2, mr3);
    if (sender) {
        *sender = received.badge;
    }
    return received.info;
}

/* Sends, and blocks until a receiver takes the message. */
LIMEN_INLINE void seL4_Send(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    limen_trap_send(seL4_SysSend, dest, msgInfo, limen_load_words(seL4_GetIPCBuffer()));
}

LIMEN_INLINE void seL4_SendWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_Word *mr0, seL4_Word *mr1,
                                   seL4_Word *mr2, seL4_Word *mr3)
{
    limen_trap_send(seL4_SysSend, dest, msgInfo, limen_gather_words(mr0, mr1, mr2, mr3));
}

/* Sends if a receiver is waiting. */
LIMEN_INLINE void seL4_NBSend(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    limen_trap_send(seL4_SysNBSend, dest, msgInfo, limen_load_words(seL4_GetIPCBuffer()));
}

LIMEN_INLINE void seL4_NBSendWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_Word *mr0, seL4_Word *mr1,
                                     seL4_Word *mr2, seL4_Word *mr3)
{
    limen_trap_send(seL4_SysNBSend, dest, msgInfo, limen_gather_words(mr0, mr1, mr2, mr3));
}

/* Stores the words that a message has, at most those in registers. */
LIMEN_INLINE void limen_store_message(seL4_IPCBuffer *buffer, seL4_Word length, limen_words_t words)
{
    if (length == 0) {
        return;
    }
    buffer->msg[0] = words.mr0;
    if (length == 1) {
        return;
    }
    buffer->msg[1] = words.mr1;
    if (length == 2) {
        return;
    }
    buffer->msg[2] = words.mr2;
    if (length > 3) {
        buffer->msg[3] = words.mr3;
    }
}

/* Sends, and waits for the reply. Words that the reply does not set stay in the buffer: they are sent and come back, or, if
 * the compiler sees that the message is empty, are not touched. Then a reply without words needs no page of the buffer. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Call(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    seL4_IPCBuffer *buffer = seL4_GetIPCBuffer();
    seL4_Word length = seL4_MessageInfo_get_length(msgInfo);
    if (__builtin_constant_p(length) && length == 0) {
        limen_received_t answer = limen_trap_call_empty(dest, msgInfo);
        limen_store_message(buffer, seL4_MessageInfo_get_length(answer.info), answer.words);
        return answer.info;
    }
    return limen_deliver(limen_trap_call(dest, msgInfo, limen_load_words(buffer)), 0);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_CallWithMRs(seL4_CPtr dest, seL4_MessageInfo_t msgInfo, seL4_Word *mr0,
                                                 seL4_Word *mr1, seL4_Word *mr2, seL4_Word *mr3)
{
    limen_received_t answer = limen_trap_call(dest, msgInfo, limen_gather_words(mr0, mr1, mr2, mr3));
    return limen_deliver_words(answer, 0, mr0, mr1, mr2, mr3);
}

/* Waits for a message. The reply object records the caller. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Recv(seL4_CPtr src, seL4_Word *sender, seL4_CPtr reply)
{
    return limen_deliver(limen_trap_receive(seL4_SysRecv, src, reply), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_RecvWithMRs(seL4_CPtr src, seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                 seL4_Word *mr2, seL4_Word *mr3, seL4_CPtr reply)
{
    return limen_deliver_words(limen_trap_receive(seL4_SysRecv, src, reply), sender, mr0, mr1, mr2, mr3);
}

/* Receives a message if one is waiting; the badge is 0 if not. */
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

/* Receives a message or a notification if one is waiting; the badge is 0 if not. */
LIMEN_INLINE seL4_MessageInfo_t seL4_NBWait(seL4_CPtr src, seL4_Word *sender)
{
    return limen_deliver(limen_trap_receive(seL4_SysNBWait, src, seL4_CapNull), sender);
}

LIMEN_INLINE seL4_MessageInfo_t seL4_NBWaitWithMRs(seL4_CPtr src, seL4_Word *sender, seL4_Word *mr0, seL4_Word *mr1,
                                                   seL4_Word *mr2, seL4_Word *mr3)
{
    return limen_deliver_words(limen_trap_receive(seL4_SysNBWait, src, seL4_CapNull), sender, mr0, mr1, mr2, mr3);
}

/* Polls a notification. */
LIMEN_INLINE seL4_MessageInfo_t seL4_Poll(seL4_CPtr src, seL4_Word *sender)
{
    return seL4_NBWait(src, sender);
}

/* Replies to the caller in the reply object, then waits for the next message. */
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

/* Sends if a receiver is waiting, then waits for a message. */
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

/* Sends if a receiver is waiting, then waits without a reply object, whose register carries the destination. */
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

/* Signals a notification: sets the bits of the badge in it. Never blocks. */
LIMEN_INLINE void seL4_Signal(seL4_CPtr dest)
{
    limen_trap_send_empty(seL4_SysSend, dest, seL4_MessageInfo_new(0, 0, 0, 0));
}

/* Yields to the other threads of the same priority. */
LIMEN_INLINE void seL4_Yield(void)
{
    limen_trap_plain(seL4_SysYield, 0);
}

#if defined(CONFIG_PRINTING)
/* Prints one character on the debug console. */
LIMEN_INLINE void seL4_DebugPutChar(char c)
{
    limen_trap_plain(seL4_SysDebugPutChar, LIMEN_VALUE(unsigned char, c));
}
#endif

#if defined(CONFIG_DEBUG_BUILD)
/* Has no effect: threads have the names of their protection domains, which the tool knows. */
LIMEN_INLINE void seL4_DebugNameThread(seL4_CPtr tcb, const char *name)
{
    (void)tcb;
    (void)name;
}

/* Calls a function in user mode: this kernel runs no code of programs. */
LIMEN_INLINE void seL4_DebugRun(void (*function)(void *), void *argument)
{
    function(argument);
}
#endif

#endif /* SEL4_SYSCALLS_H */
