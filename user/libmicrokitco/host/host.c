/* The host implementation of a protection domain's environment; include/microkit.h documents each function. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/schedule.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif

char microkit_name[MICROKIT_PD_NAME_LENGTH] = "host";

static struct {
    uint64_t pending;
    limen_host_peer_t peer;
    limen_host_crash_t crash;
    char *console;
    size_t console_bytes;
    seL4_Word message[seL4_MsgMaxLength];
} host;

seL4_Bool microkit_have_signal;
seL4_CPtr microkit_signal_cap;
seL4_MessageInfo_t microkit_signal_msg;

void limen_host_reset(void)
{
    microkit_have_signal = 0;
    memset(&host, 0, sizeof(host));
    limen_co_library = (struct limen_co_library) { .control = NULL, .current = &limen_co_before_init };
}

void limen_host_set_peer(limen_host_peer_t peer)
{
    host.peer = peer;
}

void limen_host_set_crash(limen_host_crash_t crash)
{
    host.crash = crash;
}

void limen_host_set_console(char *buffer, size_t bytes)
{
    host.console = buffer;
    host.console_bytes = bytes;
    if (buffer) {
        buffer[0] = '\0';
    }
}

void limen_host_notify(microkit_channel ch)
{
    host.pending |= (uint64_t)1 << (ch % MICROKIT_MAX_CHANNELS);
}

static void send_deferred(void)
{
    if (microkit_have_signal) {
        microkit_have_signal = 0;
        seL4_Send(microkit_signal_cap, microkit_signal_msg);
    }
}

void limen_host_run(void)
{
    send_deferred();
    while (host.pending) {
        microkit_channel ch = (microkit_channel)__builtin_ctzll(host.pending);
        host.pending &= host.pending - 1;
        notified(ch);
        send_deferred();
    }
}

void microkit_notify(microkit_channel ch)
{
    if (host.peer) {
        host.peer(ch);
    }
}

void microkit_deferred_notify(microkit_channel ch)
{
    microkit_have_signal = 1;
    microkit_signal_cap = ch;
}

void seL4_Send(seL4_CPtr dest, seL4_MessageInfo_t msgInfo)
{
    (void)msgInfo;
    microkit_notify((microkit_channel)dest);
}

void microkit_mr_set(seL4_Uint8 mr, seL4_Word value)
{
    host.message[mr] = value;
}

seL4_Word microkit_mr_get(seL4_Uint8 mr)
{
    return host.message[mr];
}

void microkit_dbg_putc(int c)
{
    char text[] = { (char)c, '\0' };
    microkit_dbg_puts(text);
}

void microkit_dbg_puts(const char *s)
{
    if (host.console) {
        strncat(host.console, s, host.console_bytes - strlen(host.console) - 1);
    } else {
        fputs(s, stdout);
    }
}

void microkit_dbg_put32(seL4_Uint32 x)
{
    char digits[16];
    snprintf(digits, sizeof(digits), "%u", x);
    microkit_dbg_puts(digits);
}

void microkit_internal_crash(seL4_Error err)
{
    if (host.crash) {
        host.crash(err);
    }
    fprintf(stderr, "the program faulted at address 0x%x\n", err);
    abort();
}

#if defined(HAS_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>

void limen_host_stack_begins(void *stack, size_t bytes)
{
    __asan_unpoison_memory_region(stack, bytes);
}
#else
void limen_host_stack_begins(void *stack, size_t bytes)
{
    (void)stack;
    (void)bytes;
}
#endif
