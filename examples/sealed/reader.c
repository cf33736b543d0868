/* Owns the key: opens the packets that the kernel has sealed, and prints who answers. */

#include <limen.h>

#include "packet.h"

#define DRIVER 0

/* Set by the tool. */
seL4_Word sealed;
seL4_Word key;

/* The number of the next packet. */
static seL4_Uint64 next = 1;

/* A real system draws its key at random, or receives it; it must be a new one each time the system starts. */
static void set_key(void)
{
    volatile limen_seal_key_t *place = (volatile limen_seal_key_t *)key;
    for (int i = 0; i < LIMEN_SEAL_KEY_BYTES; i++) {
        place->key[i] = (seL4_Uint8)(7 * i + 1);
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    place->salt = 1;
}

static void put_hexadecimal(seL4_Uint8 byte)
{
    static const char digits[] = "0123456789abcdef";
    microkit_dbg_putc(digits[byte >> 4]);
    microkit_dbg_putc(digits[byte & 15]);
}

static void show(const struct packet *packet)
{
    microkit_dbg_puts("reader: packet ");
    microkit_dbg_putc((char)('0' + next % 10));
    for (int i = 0; i < 4; i++) {
        microkit_dbg_puts(i == 0 ? ": " : ".");
        microkit_dbg_put8(packet->sender_address[i]);
    }
    for (int i = 0; i < 6; i++) {
        microkit_dbg_puts(i == 0 ? " is at " : ":");
        put_hexadecimal(packet->sender[i]);
    }
    microkit_dbg_puts("\n");
}

static int is_answer(const struct packet *packet, seL4_Word length)
{
    return length >= sizeof(*packet) && packet->ethertype[0] == PACKET_ETHERTYPE_ARP >> 8 &&
        packet->ethertype[1] == (PACKET_ETHERTYPE_ARP & 0xff) && packet->operation[1] == PACKET_ARP_ANSWER;
}

/* Opens the next packet. False if there is none. */
static int open_next(void)
{
    static union {
        seL4_Uint8 bytes[BUFFER_BYTES];
        struct packet packet;
    } buffer;
    seL4_Word length;
    limen_opening_t opening = limen_open((limen_seal_key_t *)key, (void *)sealed, SEALED_BYTES, BUFFER_BYTES, next,
                                         buffer.bytes, &length);
    if (opening == LIMEN_NOT_SEALED) {
        return 0;
    }
    if (opening != LIMEN_OPENED) {
        microkit_dbg_puts("LIMEN|FAIL a packet cannot be opened\n");
    } else if (is_answer(&buffer.packet, length)) {
        show(&buffer.packet);
    }
    next++;
    return 1;
}

void init(void)
{
    set_key();
    microkit_notify(DRIVER);
}

void notified(microkit_channel ch)
{
    (void)ch;
    while (next <= REQUESTS && open_next()) {
        if (next > REQUESTS) {
            microkit_dbg_puts("LIMEN|DONE\n");
        }
    }
}
