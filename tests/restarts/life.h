/* Memory that the tester and its child share. */
#ifndef LIFE_H
#define LIFE_H

#include <microkit.h>

/* How a life ends; 0 for not at all. */
enum end {
    END_NOT = 0,
    /* Follows a null pointer two calls deep. */
    END_DEEP,
    /* Sets every flag, misaligns the stack pointer, and executes an undefined instruction. */
    END_SPOILT,
    /* Sets the control words and a register of the floating-point unit, and a message word, and faults. */
    END_FLOATING,
    /* Defers a signal on another channel, and faults. */
    END_DEFERRED,
    /* Faults while it serves a call. */
    END_SERVING,
    /* Raises its interrupt and faults before it receives it. */
    END_INTERRUPTED,
    /* Raises its interrupt, receives it, and faults before it acknowledges it. */
    END_HANDLING,
    /* Only raises its interrupt. */
    END_NOT_INTERRUPTED,
};

/* What a life finds in its init. */
struct life {
    volatile seL4_Word stack_pointer;
    volatile seL4_Word flags;
    volatile seL4_Word control;
    volatile seL4_Word value;
    volatile seL4_Word message_word;
    volatile seL4_Word copies;
    volatile seL4_Word count;
    /* What all lives have received. */
    volatile seL4_Word signals;
    volatile seL4_Word interrupts;
    /* What the client has received. */
    volatile seL4_Word replies;
    /* The child's order. */
    volatile seL4_Word end;
    /* With which main is entered, in C, or the function that the start code of the Rust crate calls. */
    volatile seL4_Word frame_pointer;
    volatile seL4_Word caller;
    volatile seL4_Word conditions;
};

#define MESSAGE_WORD 10
#define SPOILT_WORD 0x5b01

#endif /* LIFE_H */
