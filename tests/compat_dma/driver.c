/* Drives the device: it moves a page from one physical address to another, as a network card would.
 *
 * Source: QEMU, docs/specs/edu. */

#include "edu.h"
#include "test.h"

#define CLIENT 2
#define PAGE_BYTES 4096ul
#define WORDS (PAGE_BYTES / sizeof(seL4_Word))

/* Registers of the device, as offsets of 64-bit words, and the buffer in it. */
enum dma_register {
    DMA_FROM = 0x80 / 8,
    DMA_TO = 0x88 / 8,
    DMA_BYTES = 0x90 / 8,
    DMA_COMMAND = 0x98 / 8,
};
#define DMA_START 1u
#define DMA_FROM_DEVICE 2u
#define DEVICE_BUFFER 0x40000ul
/* The emulator stops at a transfer that fills the whole buffer. */
#define TRANSFER_BYTES (PAGE_BYTES / 2)

/* High bits of the clock's first register: the manufacturer. */
#define HPET_VENDOR_SHIFT 16
#define HPET_VENDOR 0x8086u

/* Set by the tool. */
extern seL4_Word edu_base;
seL4_Word rings, data, client_data, last, letter, hpet, shared;
seL4_Word rings_paddr, data_paddr, client_data_paddr, last_paddr;

static void transfer(seL4_Word from, seL4_Word to, seL4_Word direction)
{
    volatile seL4_Word *registers = (volatile seL4_Word *)edu_base;
    registers[DMA_FROM] = from;
    registers[DMA_TO] = to;
    registers[DMA_BYTES] = TRANSFER_BYTES;
    registers[DMA_COMMAND] = DMA_START | direction;
    while (registers[DMA_COMMAND] & DMA_START) {
    }
}

/* Through the device, from one physical address to another. */
static void move_page(seL4_Word from, seL4_Word to)
{
    for (seL4_Word done = 0; done < PAGE_BYTES; done += TRANSFER_BYTES) {
        transfer(from + done, DEVICE_BUFFER, 0);
        transfer(DEVICE_BUFFER, to + done, DMA_FROM_DEVICE);
    }
}

static int is_zero(seL4_Word start, seL4_Word bytes)
{
    const seL4_Word *words = (const seL4_Word *)start;
    for (seL4_Word i = 0; i < bytes / sizeof(seL4_Word); i++) {
        if (words[i]) {
            return 0;
        }
    }
    return 1;
}

static void memory_at_fixed_addresses_is_zero(void)
{
    CHECK(is_zero(rings, 0x10000));
    CHECK(is_zero(data, 0x200000));
    CHECK(is_zero(last, 0x6000));
}

static void programs_are_told_where_it_is(void)
{
    CHECK_EQUAL(rings_paddr, 0x5fdf0000);
    CHECK_EQUAL(data_paddr, 0x60000000);
    CHECK_EQUAL(client_data_paddr, 0x6fc00000);
    CHECK_EQUAL(last_paddr, 0x6fff0000);
}

static void memory_at_a_fixed_address_may_be_filled(void)
{
    const char *text = (const char *)letter;
    CHECK(text[0] == 'D' && text[5] == 'd');
    CHECK_EQUAL(text[PAGE_BYTES - 1], 0);
}

static void fixed_addresses_outside_ram_are_devices(void)
{
    CHECK_EQUAL(*(volatile seL4_Word *)hpet >> HPET_VENDOR_SHIFT & 0xffff, HPET_VENDOR);
}

static void the_device_reads_and_writes_memory(void)
{
    seL4_Word *from = (seL4_Word *)rings;
    for (seL4_Word i = 0; i < WORDS; i++) {
        from[i] = i * i + 1;
    }
    move_page(rings_paddr, last_paddr + PAGE_BYTES);
    const volatile seL4_Word *to = (const volatile seL4_Word *)(last + PAGE_BYTES);
    for (seL4_Word i = 0; i < WORDS; i++) {
        CHECK_EQUAL(to[i], i * i + 1);
    }
    CHECK(is_zero(last, PAGE_BYTES) && is_zero(last + 2 * PAGE_BYTES, PAGE_BYTES));
}

void init(void)
{
    edu_start(0);
    RUN(memory_at_fixed_addresses_is_zero);
    RUN(programs_are_told_where_it_is);
    RUN(memory_at_a_fixed_address_may_be_filled);
    RUN(fixed_addresses_outside_ram_are_devices);
    RUN(the_device_reads_and_writes_memory);
}

void notified(microkit_channel channel)
{
    (void)channel;
}

/* A client names a page by its physical address; its contents are found in the page that both share. */
microkit_msginfo protected(microkit_channel channel, microkit_msginfo message)
{
    (void)channel;
    (void)message;
    move_page(microkit_mr_get(0), data_paddr);
    const volatile seL4_Word *from = (const volatile seL4_Word *)data;
    for (seL4_Word i = 0; i < WORDS; i++) {
        ((volatile seL4_Word *)shared)[i] = from[i];
    }
    return microkit_msginfo_new(0, 0);
}
