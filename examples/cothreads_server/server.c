/* Serves three clients. One cothread per client waits for its requests, so the code for a client is sequential. Lengths
 * and buckets come from clients, so the server checks them. */

#include "request.h"
#include "say.h"

#define STACK_SIZE 0x2000
#define BUCKETS 4
#define CLIENTS 3

/* Set by the tool. */
uintptr_t co_mem;
uintptr_t stack_1;
uintptr_t stack_2;
uintptr_t stack_3;
uintptr_t ipc_1;
uintptr_t ipc_2;
uintptr_t ipc_3;

static struct {
    uint32_t length;
    char data[DATA_BYTES];
} buckets[BUCKETS];

struct client {
    microkit_channel channel;
    volatile struct request *request;
};

static void say_hexadecimal(uintptr_t number)
{
    for (int shift = 60; shift >= 0; shift -= 4) {
        microkit_dbg_putc("0123456789abcdef"[number >> shift & 15]);
    }
}

static void announce(const struct client *client, const char *what)
{
    say("SERVER: client #");
    say_number(client->channel);
    say(" cothread: ");
    say(what);
}

static void append(volatile struct request *request, uint32_t bucket)
{
    uint32_t length = request->length;
    for (uint32_t i = 0; i < length && i < DATA_BYTES && buckets[bucket].length < DATA_BYTES; i++) {
        buckets[bucket].data[buckets[bucket].length++] = request->data[i];
    }
}

static void read(volatile struct request *request, uint32_t bucket)
{
    for (uint32_t i = 0; i < buckets[bucket].length; i++) {
        request->data[i] = buckets[bucket].data[i];
    }
}

static void execute(const struct client *client)
{
    uint32_t command = client->request->command;
    uint32_t bucket = client->request->bucket % BUCKETS;
    announce(client, command == APPEND ? "executing append cmd on bucket " : "executing read cmd on bucket ");
    say_number(bucket);
    if (command == APPEND) {
        append(client->request, bucket);
    } else {
        read(client->request, bucket);
    }
    client->request->length = buckets[bucket].length;
    say("...done.\n");
}

static void serve(void)
{
    const struct client *client;
    must(microkit_cothread_my_arg(&client));
    announce(client, "starting with ipc ");
    say_hexadecimal((uintptr_t)client->request);
    say("\n");
    for (;;) {
        must(microkit_cothread_wait_on_channel(client->channel));
        execute(client);
        microkit_notify(client->channel);
    }
}

static void start_cothread(struct client *client, const char *which)
{
    microkit_cothread_t handle;
    say("SERVER: starting ");
    say(which);
    say(" cothread\n");
    must(microkit_cothread_spawn(serve, true, &handle, (uintptr_t)client));
    microkit_cothread_yield();
}

void init(void)
{
    static struct client clients[CLIENTS];
    const uintptr_t regions[CLIENTS] = { ipc_1, ipc_2, ipc_3 };
    for (microkit_channel i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client) { i + 1, (volatile struct request *)regions[i] };
    }
    say("SERVER: starting\n");
    must(microkit_cothread_init(co_mem, STACK_SIZE, stack_1, stack_2, stack_3));
    say("SERVER: libmicrokitco started\n");
    start_cothread(&clients[0], "first");
    start_cothread(&clients[1], "second");
    start_cothread(&clients[2], "third");
    say("SERVER: init done!\n");
}

void notified(microkit_channel ch)
{
    must(microkit_cothread_recv_ntfn(ch));
}
