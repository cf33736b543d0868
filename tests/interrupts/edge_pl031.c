/* The clock of Arm's boards: it interrupts when it matches. Source: ARM DDI 0224C, chapter 3. */

#include "edge.h"

/* Registers, as word offsets. */
enum pl031_register {
    PL031_DATA = 0x00 / 4,
    PL031_MATCH = 0x04 / 4,
    PL031_MASK = 0x10 / 4,
    PL031_STATUS = 0x14 / 4,
    PL031_CLEAR = 0x1c / 4,
};

/* Address of the registers; set by the tool. */
seL4_Word edge_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)edge_base;
}

void edge_start(void)
{
    registers()[PL031_CLEAR] = 1;
    registers()[PL031_MASK] = 1;
}

void edge_raise(void)
{
    /* Again if the clock moves between the two accesses. */
    do {
        registers()[PL031_MATCH] = registers()[PL031_DATA];
    } while (!(registers()[PL031_STATUS] & 1));
}

void edge_clear(void)
{
    registers()[PL031_CLEAR] = 1;
}
