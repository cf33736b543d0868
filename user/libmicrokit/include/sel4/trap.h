/* System call instructions, one function for each combination of input and output registers.
 *
 * No other code enters the kernel. Every function is a compiler barrier, because shared memory may have changed when it
 * returns. Registers that are not results keep their values. */
#ifndef SEL4_TRAP_H
#define SEL4_TRAP_H

#include <sel4/message.h>

/* The words of a message that travel in registers. */
typedef struct limen_words {
    seL4_Word mr0, mr1, mr2, mr3;
} limen_words_t;

/* The results of a receive. After a notification only the badge is meaningful. Members name a structure by its tag, because
 * generators of bindings leave out our names that end in _t. */
typedef struct limen_received {
    seL4_Word badge;
    seL4_MessageInfo_t info;
    struct limen_words words;
} limen_received_t;

/* Local variables in the registers of the system call convention. */
#define LIMEN_NUMBER(call) register seL4_Word number __asm__(LIMEN_REGISTER_NUMBER) = LIMEN_VALUE(seL4_Word, call)
#define LIMEN_CPTR(value) register seL4_Word cptr __asm__(LIMEN_REGISTER_CPTR) = (value)
#define LIMEN_INFO(message) register seL4_Word info __asm__(LIMEN_REGISTER_INFO) = (message).words[0]
#define LIMEN_REPLY(value) register seL4_Word reply __asm__(LIMEN_REGISTER_REPLY) = (value)
#define LIMEN_DEST(value) register seL4_Word destination __asm__(LIMEN_REGISTER_DEST) = (value)
#define LIMEN_WORDS(words)                                       \
    register seL4_Word mr0 __asm__(LIMEN_REGISTER_MR0) = (words).mr0; \
    register seL4_Word mr1 __asm__(LIMEN_REGISTER_MR1) = (words).mr1; \
    register seL4_Word mr2 __asm__(LIMEN_REGISTER_MR2) = (words).mr2; \
    register seL4_Word mr3 __asm__(LIMEN_REGISTER_MR3) = (words).mr3

/* The same for words that are only results. */
#define LIMEN_WORDS_OUT                              \
    register seL4_Word mr0 __asm__(LIMEN_REGISTER_MR0); \
    register seL4_Word mr1 __asm__(LIMEN_REGISTER_MR1); \
    register seL4_Word mr2 __asm__(LIMEN_REGISTER_MR2); \
    register seL4_Word mr3 __asm__(LIMEN_REGISTER_MR3)

#define LIMEN_RETURN_RECEIVED                                                      \
    do {                                                                           \
        limen_received_t received = { cptr, {{ info }}, { mr0, mr1, mr2, mr3 } };  \
        return received;                                                           \
    } while (0)

/* A call with one argument and no result. */
LIMEN_INLINE void limen_trap_plain(seL4_Syscall_ID call, seL4_Word argument)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(argument);
    __asm__ volatile (LIMEN_TRAP : : "r"(number), "r"(cptr) : LIMEN_TRAP_CLOBBERS);
}

/* A call with one argument and one result. */
LIMEN_INLINE seL4_Word limen_trap_query(seL4_Syscall_ID call, seL4_Word argument)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(argument);
    __asm__ volatile (LIMEN_TRAP : "+r"(cptr) : "r"(number) : LIMEN_TRAP_CLOBBERS);
    return cptr;
}

/* Writes a record of the trace. */
LIMEN_INLINE void limen_trap_trace(seL4_Word word, seL4_Word value)
{
    LIMEN_NUMBER(limen_SysTrace);
    LIMEN_CPTR(word);
    register seL4_Word info __asm__(LIMEN_REGISTER_INFO) = value;
    __asm__ volatile (LIMEN_TRAP : : "r"(number), "r"(cptr), "r"(info) : LIMEN_TRAP_CLOBBERS);
}

/* Sends a message without words. */
LIMEN_INLINE void limen_trap_send_empty(seL4_Syscall_ID call, seL4_CPtr dest, seL4_MessageInfo_t message)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(dest);
    LIMEN_INFO(message);
    __asm__ volatile (LIMEN_TRAP : : "r"(number), "r"(cptr), "r"(info) : LIMEN_TRAP_CLOBBERS);
}

/* Sends a message. */
LIMEN_INLINE void limen_trap_send(seL4_Syscall_ID call, seL4_CPtr dest, seL4_MessageInfo_t message,
                                  limen_words_t words)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(dest);
    LIMEN_INFO(message);
    LIMEN_WORDS(words);
    __asm__ volatile (LIMEN_TRAP
                      :
                      : "r"(number), "r"(cptr), "r"(info), "r"(mr0), "r"(mr1), "r"(mr2), "r"(mr3)
                      : LIMEN_TRAP_CLOBBERS);
}

/* Receives. Calls that take no reply object ignore `reply_object`. */
LIMEN_INLINE limen_received_t limen_trap_receive(seL4_Syscall_ID call, seL4_CPtr source, seL4_CPtr reply_object)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(source);
    LIMEN_REPLY(reply_object);
    register seL4_Word info __asm__(LIMEN_REGISTER_INFO);
    LIMEN_WORDS_OUT;
    __asm__ volatile (LIMEN_TRAP
                      : "+r"(cptr), "=r"(info), "=r"(mr0), "=r"(mr1), "=r"(mr2), "=r"(mr3)
                      : "r"(number), "r"(reply)
                      : LIMEN_TRAP_CLOBBERS);
    LIMEN_RETURN_RECEIVED;
}

/* Sends a message without words and waits for the reply. */
LIMEN_INLINE limen_received_t limen_trap_call_empty(seL4_CPtr dest, seL4_MessageInfo_t message)
{
    LIMEN_NUMBER(seL4_SysCall);
    LIMEN_CPTR(dest);
    LIMEN_INFO(message);
    LIMEN_WORDS_OUT;
    __asm__ volatile (LIMEN_TRAP
                      : "+r"(cptr), "+r"(info), "=r"(mr0), "=r"(mr1), "=r"(mr2), "=r"(mr3)
                      : "r"(number)
                      : LIMEN_TRAP_CLOBBERS);
    LIMEN_RETURN_RECEIVED;
}

/* Sends a message and waits for the reply. */
LIMEN_INLINE limen_received_t limen_trap_call(seL4_CPtr dest, seL4_MessageInfo_t message, limen_words_t words)
{
    LIMEN_NUMBER(seL4_SysCall);
    LIMEN_CPTR(dest);
    LIMEN_INFO(message);
    LIMEN_WORDS(words);
    __asm__ volatile (LIMEN_TRAP
                      : "+r"(cptr), "+r"(info), "+r"(mr0), "+r"(mr1), "+r"(mr2), "+r"(mr3)
                      : "r"(number)
                      : LIMEN_TRAP_CLOBBERS);
    LIMEN_RETURN_RECEIVED;
}

/* Sends to the object that `reply_register` names for this call, then receives from `source`. */
LIMEN_INLINE limen_received_t limen_trap_send_receive(seL4_Syscall_ID call, seL4_CPtr source,
                                                      seL4_MessageInfo_t message, limen_words_t words,
                                                      seL4_CPtr reply_register)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(source);
    LIMEN_INFO(message);
    LIMEN_WORDS(words);
    LIMEN_REPLY(reply_register);
    __asm__ volatile (LIMEN_TRAP
                      : "+r"(cptr), "+r"(info), "+r"(mr0), "+r"(mr1), "+r"(mr2), "+r"(mr3)
                      : "r"(number), "r"(reply)
                      : LIMEN_TRAP_CLOBBERS);
    LIMEN_RETURN_RECEIVED;
}

/* The same with a message without words. */
LIMEN_INLINE limen_received_t limen_trap_send_empty_receive(seL4_Syscall_ID call, seL4_CPtr source,
                                                            seL4_MessageInfo_t message, seL4_CPtr reply_register)
{
    LIMEN_NUMBER(call);
    LIMEN_CPTR(source);
    LIMEN_INFO(message);
    LIMEN_WORDS_OUT;
    LIMEN_REPLY(reply_register);
    __asm__ volatile (LIMEN_TRAP
                      : "+r"(cptr), "+r"(info), "=r"(mr0), "=r"(mr1), "=r"(mr2), "=r"(mr3)
                      : "r"(number), "r"(reply)
                      : LIMEN_TRAP_CLOBBERS);
    LIMEN_RETURN_RECEIVED;
}

/* Sends to `dest` without blocking, then receives from `source` with a reply object. */
LIMEN_INLINE limen_received_t limen_trap_nb_send_recv(seL4_CPtr dest, seL4_CPtr source, seL4_MessageInfo_t message,
                                                      limen_words_t words, seL4_CPtr reply_object)
{
    LIMEN_NUMBER(seL4_SysNBSendRecv);
    LIMEN_CPTR(source);
    LIMEN_INFO(message);
    LIMEN_WORDS(words);
    LIMEN_REPLY(reply_object);
    LIMEN_DEST(dest);
    __asm__ volatile (LIMEN_TRAP
                      : "+r"(cptr), "+r"(info), "+r"(mr0), "+r"(mr1), "+r"(mr2), "+r"(mr3)
                      : "r"(number), "r"(reply), "r"(destination)
                      : LIMEN_TRAP_CLOBBERS);
    LIMEN_RETURN_RECEIVED;
}

#undef LIMEN_NUMBER
#undef LIMEN_CPTR
#undef LIMEN_INFO
#undef LIMEN_REPLY
#undef LIMEN_DEST
#undef LIMEN_WORDS
#undef LIMEN_WORDS_OUT
#undef LIMEN_RETURN_RECEIVED

#endif /* SEL4_TRAP_H */
