/* A client: a cothread that calls the server as if it were a function, and waits for each answer. */
#ifndef CLIENT_H
#define CLIENT_H

#include "request.h"
#include "say.h"

#define SERVER 0
#define STACK_SIZE 0x2000

/* Set by the tool. */
uintptr_t co_mem;
uintptr_t stack_1;
uintptr_t ipc;

static void prefix(void)
{
    say("CLIENT #" CLIENT ": ");
}

/* Returns the length of the bucket. */
static inline uint32_t call_server(enum command command, const char *name, const char *text)
{
    volatile struct request *request = (volatile struct request *)ipc;
    uint32_t length = 0;
    for (; text[length] && length < DATA_BYTES; length++) {
        request->data[length] = text[length];
    }
    request->command = command;
    request->bucket = 0;
    request->length = length;
    prefix();
    say("called server for ");
    say(name);
    say(", waiting...");
    microkit_notify(SERVER);
    must(microkit_cothread_wait_on_channel(SERVER));
    return request->length;
}

static inline void append(const char *text)
{
    uint32_t length = call_server(APPEND, "append", text);
    say("done, bucket new len is: ");
    say_number(length);
    say("\n");
}

static void work(void);

void init(void)
{
    microkit_cothread_t handle;
    prefix();
    say("starting...");
    must(microkit_cothread_init(co_mem, STACK_SIZE, stack_1));
    must(microkit_cothread_spawn(work, true, &handle, 0));
    say("done\n");
    microkit_cothread_yield();
}

void notified(microkit_channel ch)
{
    must(microkit_cothread_recv_ntfn(ch));
}

#endif /* CLIENT_H */
