/* Replaces <microkit.h> on a Linux host, so that a program's cothreads run in ordinary unit tests. It has the part of the
 * interface that programs with cothreads use, and functions with which a test plays the peers on their channels.
 *
 *   static void disk(microkit_channel ch)      runs when the program notifies the peer
 *   {
 *       limen_host_notify(ch);                 notifies back at once
 *   }
 *
 *   int main(void)
 *   {
 *       limen_host_set_peer(disk);
 *       init();
 *       limen_host_run();                      delivers notifications until none is left
 *   }
 *
 * Link the test with the program, the library's sources and host.c. */
#ifndef MICROKIT_H
#define MICROKIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long seL4_Word;
typedef unsigned char seL4_Uint8;
typedef unsigned int seL4_Uint32;
typedef unsigned int seL4_Error;
typedef unsigned int microkit_channel;
typedef unsigned char seL4_Bool;
typedef unsigned long seL4_CPtr;
typedef struct {
    seL4_Word words[1];
} seL4_MessageInfo_t;

#define MICROKIT_MAX_CHANNELS 62
#define MICROKIT_PD_NAME_LENGTH 64
#define seL4_MsgMaxLength 120

extern char microkit_name[MICROKIT_PD_NAME_LENGTH];

/* Entry points of the program under test. */
void init(void);
void notified(microkit_channel ch);

/* The program's side. */
void microkit_notify(microkit_channel ch);
/* Replaces an earlier one that is pending. limen_host_run sends it after `notified`. */
void microkit_deferred_notify(microkit_channel ch);
extern seL4_Bool microkit_have_signal;
extern seL4_CPtr microkit_signal_cap;
extern seL4_MessageInfo_t microkit_signal_msg;
/* Sends to a peer: a capability is the number of its channel here. */
void seL4_Send(seL4_CPtr dest, seL4_MessageInfo_t msgInfo);
void microkit_mr_set(seL4_Uint8 mr, seL4_Word value);
seL4_Word microkit_mr_get(seL4_Uint8 mr);
void microkit_dbg_putc(int c);
void microkit_dbg_puts(const char *s);
void microkit_dbg_put32(seL4_Uint32 x);
/* Calls the function set by limen_host_set_crash, or ends the process. */
void microkit_internal_crash(seL4_Error err);

/* The test's side. */
typedef void (*limen_host_peer_t)(microkit_channel ch);
typedef void (*limen_host_crash_t)(seL4_Error err);

/* Sets the function that receives the program's notifications; initially none. */
void limen_host_set_peer(limen_host_peer_t peer);
/* Sets the function to call instead of a fault; it must not return. */
void limen_host_set_crash(limen_host_crash_t crash);
/* Sets the destination of the debug console: a buffer for the last text, terminated, or null for the standard output. */
void limen_host_set_console(char *buffer, size_t bytes);
/* Sends a notification to the program; limen_host_run delivers it. */
void limen_host_notify(microkit_channel ch);
/* The event loop: calls notified() for each channel, lowest first, until no notification is pending. */
void limen_host_run(void);
/* Resets everything to the start of a process, including the library. All cothreads end. */
void limen_host_reset(void);

/* Tells the address sanitizer that a stack is in use again from its start. */
void limen_host_stack_begins(void *stack, size_t bytes);
#define LIMEN_CO_STACK_BEGINS(stack, bytes) limen_host_stack_begins((stack), (bytes))

#ifdef __cplusplus
}
#endif

#endif /* MICROKIT_H */
