/* Checks the contents of its regions. */

#include "test.h"

/* Set by the tool. */
seL4_Word exact, exact_size, exact_used = 1, padded, padded_size, padded_used = 1, fixed, large, large_size, uncached;
seL4_Word tree, cut, memory, acpi, frequency, vbe, frame_buffer;

/* The pattern: numbered lines. */
#define LINE_BYTES 25
#define LINES 300
#define PATTERN_BYTES (LINES * LINE_BYTES)

#define PAGE 0x1000
#define LARGE_PAGE 0x200000

static seL4_Uint8 byte_at(seL4_Word address)
{
    return *(volatile seL4_Uint8 *)address;
}

static seL4_Uint32 word_at(seL4_Word address)
{
    return *(volatile seL4_Uint32 *)address;
}

static const volatile seL4_BootInfoHeader *header_at(seL4_Word address)
{
    return (const volatile seL4_BootInfoHeader *)address;
}

static seL4_Word count_nonzero(seL4_Word start, seL4_Word end)
{
    seL4_Word nonzero = 0;
    for (; start < end; start++) {
        nonzero += byte_at(start) != 0;
    }
    return nonzero;
}

/* Bytes that differ from the pattern: the number in each line, and what is the same in all of them. */
static seL4_Word count_wrong(seL4_Word address)
{
    static const char line[] = "line 0000 of the pattern\n";
    seL4_Word wrong = 0;
    for (seL4_Word i = 0; i < LINES; i++) {
        const seL4_Word digits[] = { i / 1000 % 10, i / 100 % 10, i / 10 % 10, i % 10 };
        for (seL4_Word column = 0; column < LINE_BYTES; column++) {
            seL4_Word wanted = (seL4_Word)line[column];
            if (column >= 5 && column < 9) {
                wanted += digits[column - 5];
            }
            wrong += byte_at(address + i * LINE_BYTES + column) != wanted;
        }
    }
    return wrong;
}

static void check_filled(seL4_Word address, seL4_Word bytes)
{
    CHECK_EQUAL(count_wrong(address), 0);
    CHECK_EQUAL(count_nonzero(address + PATTERN_BYTES, address + bytes), 0);
}

static void a_region_without_a_size_holds_the_file(void)
{
    CHECK_EQUAL(exact_size, 2 * PAGE);
    check_filled(exact, exact_size);
}

static void the_rest_of_a_larger_region_is_zero(void)
{
    CHECK_EQUAL(padded_size, 5 * PAGE);
    check_filled(padded, padded_size);
}

static void the_size_of_the_file_is_told(void)
{
    CHECK_EQUAL(exact_used, PATTERN_BYTES);
    CHECK_EQUAL(padded_used, PATTERN_BYTES);
}

static void a_region_at_a_fixed_address_is_filled(void)
{
    check_filled(fixed, 3 * PAGE);
}

static void a_region_of_large_pages_is_filled(void)
{
    CHECK_EQUAL(large_size, LARGE_PAGE);
    check_filled(large, large_size);
}

static void an_uncached_region_is_filled(void)
{
    check_filled(uncached, 2 * PAGE);
    *(volatile seL4_Uint8 *)uncached = 'x';
    CHECK_EQUAL(byte_at(uncached), 'x');
}

static void the_device_tree_is_where_there_is_one(void)
{
    if (!HAS_DEVICE_TREE) {
        CHECK_EQUAL(count_nonzero(tree, tree + PAGE), 0);
        return;
    }
    CHECK_EQUAL(header_at(tree)->id, SEL4_BOOTINFO_HEADER_FDT);
    seL4_Word blob = tree + sizeof(seL4_BootInfoHeader);
    CHECK_EQUAL(word_at(blob), 0xedfe0dd0);
    CHECK_EQUAL(header_at(tree)->len, sizeof(seL4_BootInfoHeader) + __builtin_bswap32(word_at(blob + 4)));
    /* The version of the format. */
    CHECK_EQUAL(__builtin_bswap32(word_at(blob + 20)), 17);
}

static void what_does_not_fit_is_cut(void)
{
    if (!HAS_DEVICE_TREE) {
        CHECK_EQUAL(count_nonzero(cut, cut + PAGE), 0);
        return;
    }
    CHECK_EQUAL(header_at(cut)->len, header_at(tree)->len);
    for (seL4_Word offset = 0; offset < PAGE; offset += 4) {
        CHECK_EQUAL(word_at(cut + offset), word_at(tree + offset));
    }
}

#if defined(CONFIG_ARCH_X86_64)
static seL4_Word text_at(seL4_Word address)
{
    return *(volatile seL4_Word *)address;
}

/* Entries of 24 bytes, not aligned: size, base, length, kind. */
static seL4_Word count_ram_at_one_megabyte(seL4_Word entries, seL4_Word bytes)
{
    seL4_Word found = 0;
    for (seL4_Word entry = entries; entry < entries + bytes; entry += 24) {
        found += word_at(entry + 4) == 0x100000 && word_at(entry + 20) == 1;
    }
    return found;
}

static void the_pc_tells_what_it_has(void)
{
    CHECK_EQUAL(header_at(memory)->id, SEL4_BOOTINFO_HEADER_X86_MBMMAP);
    seL4_Word bytes = word_at(memory + 16);
    CHECK_EQUAL(header_at(memory)->len, 20 + bytes);
    CHECK_EQUAL(count_ram_at_one_megabyte(memory + 20, bytes), 1);
    CHECK_EQUAL(header_at(acpi)->id, SEL4_BOOTINFO_HEADER_X86_ACPI_RSDP);
    CHECK_EQUAL(header_at(acpi)->len, 16 + 36);
    CHECK_EQUAL(text_at(acpi + 16), 0x2052545020445352);
    CHECK_EQUAL(header_at(frequency)->id, SEL4_BOOTINFO_HEADER_X86_TSC_FREQ);
    CHECK_EQUAL(header_at(frequency)->len, 16 + 4);
    CHECK(word_at(frequency + 16) > 1);
    /* The emulator's loader has neither. */
    CHECK_EQUAL(count_nonzero(vbe, vbe + PAGE), 0);
    CHECK_EQUAL(count_nonzero(frame_buffer, frame_buffer + PAGE), 0);
}
#else
static void the_pc_tells_what_it_has(void)
{
    const seL4_Word regions[] = { memory, acpi, frequency, vbe, frame_buffer };
    for (seL4_Word i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        CHECK_EQUAL(count_nonzero(regions[i], regions[i] + PAGE), 0);
    }
}
#endif

void init(void)
{
    RUN(a_region_without_a_size_holds_the_file);
    RUN(the_rest_of_a_larger_region_is_zero);
    RUN(the_size_of_the_file_is_told);
    RUN(a_region_at_a_fixed_address_is_filled);
    RUN(a_region_of_large_pages_is_filled);
    RUN(an_uncached_region_is_filled);
    RUN(the_device_tree_is_where_there_is_one);
    RUN(what_does_not_fit_is_cut);
    RUN(the_pc_tells_what_it_has);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
