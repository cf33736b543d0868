/* The name of the machine from the firmware's device tree. Source: Devicetree Specification 0.4, chapter 5. */

#include "device_tree.h"
#include <microkit.h>

/* The size of the region in the description. Boot truncates larger trees; all offsets are checked against it. */
#define REGION_BYTES 0x20000
#define WORD_BYTES 4

#define MAGIC 0xd00dfeedu
/* Byte offsets in the header. */
#define STRUCTURE_OFFSET 8
#define STRINGS_OFFSET 12

enum token { BEGIN_NODE = 1, PROPERTY = 3, NOP = 4 };

/* Set by the tool. The region is zero if there is no tree. */
const seL4_Uint8 *device_tree;

static const seL4_Uint8 *at(seL4_Word offset)
{
    return device_tree + sizeof(seL4_BootInfoHeader) + offset;
}

static int is_inside(seL4_Word offset, seL4_Word bytes)
{
    const seL4_Word all = REGION_BYTES - sizeof(seL4_BootInfoHeader);
    return offset <= all && bytes <= all - offset;
}

/* Reads a big-endian word; 0 outside of the region, which is no token. */
static seL4_Uint32 word(seL4_Word offset)
{
    if (!is_inside(offset, WORD_BYTES)) {
        return 0;
    }
    const seL4_Uint8 *bytes = at(offset);
    return (seL4_Uint32)bytes[0] << 24 | (seL4_Uint32)bytes[1] << 16 | (seL4_Uint32)bytes[2] << 8 | bytes[3];
}

static int is_text(seL4_Word offset, const char *text)
{
    for (seL4_Word i = 0; is_inside(offset, i + 1); i++) {
        if (*at(offset + i) != (seL4_Uint8)text[i]) {
            return 0;
        }
        if (!text[i]) {
            return 1;
        }
    }
    return 0;
}

static seL4_Word aligned(seL4_Word offset)
{
    return (offset + WORD_BYTES - 1) & ~(seL4_Word)(WORD_BYTES - 1);
}

/* The root's properties precede its nodes, and its own name is empty. */
const char *device_tree_model(void)
{
    seL4_Word next = word(STRUCTURE_OFFSET);
    if (word(0) != MAGIC || word(next) != BEGIN_NODE) {
        return 0;
    }
    for (next += 2 * WORD_BYTES;; next += WORD_BYTES) {
        enum token token = word(next);
        if (token == NOP) {
            continue;
        }
        if (token != PROPERTY) {
            return 0;
        }
        seL4_Word bytes = word(next + WORD_BYTES);
        seL4_Word name = (seL4_Word)word(STRINGS_OFFSET) + word(next + 2 * WORD_BYTES);
        seL4_Word value = next + 3 * WORD_BYTES;
        if (!is_inside(value, bytes)) {
            return 0;
        }
        if (is_text(name, "model") && bytes > 1 && !*at(value + bytes - 1)) {
            return (const char *)at(value);
        }
        next = aligned(value + bytes) - WORD_BYTES;
    }
}
