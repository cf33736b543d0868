/* The packets of this example: requests for the hardware address of a host, and its answers.
 *
 * Source: VIRTIO 1.1, 5.1.6 (the header of a packet); RFC 826 (ARP). */
#ifndef PACKET_H
#define PACKET_H

#include <microkit.h>

/* How many requests the driver sends. */
#define REQUESTS 8
/* Of a buffer; in the description as well. */
#define BUFFER_BYTES 2048
#define SEALED_BYTES 0x9000

#define PACKET_ETHERTYPE_ARP 0x0806
#define PACKET_ARP_REQUEST 1
#define PACKET_ARP_ANSWER 2

/* A packet in a buffer: the device's header, then a frame. Numbers have their highest byte first. */
struct packet {
    seL4_Uint8 header[12];
    seL4_Uint8 to[6];
    seL4_Uint8 from[6];
    seL4_Uint8 ethertype[2];
    seL4_Uint8 kinds[6];
    seL4_Uint8 operation[2];
    seL4_Uint8 sender[6];
    seL4_Uint8 sender_address[4];
    seL4_Uint8 target[6];
    seL4_Uint8 target_address[4];
};

#endif /* PACKET_H */
