/* Instructions from the table: each must have the outcome given there. */

#include "architecture.h"
#include "attempt.h"
#include "code.h"
#include "neighbours.h"
#include "series.h"
#include "table.h"

void publish(const char *from, seL4_Word bytes)
{
    volatile seL4_Uint32 *written = (volatile seL4_Uint32 *)(CODE_WRITTEN + (seL4_Word)(from - attack_code));
    for (seL4_Word i = 0; i < bytes / 4; i++) {
        written[i] = ((const seL4_Uint32 *)from)[i];
    }
    publish_code((seL4_Word)written, in_culprit(from), bytes);
}

void patch(seL4_Uint32 instruction)
{
    seL4_Word place = (seL4_Word)(patch_code - attack_code);
    *(volatile seL4_Uint32 *)(CODE_WRITTEN + place) = instruction;
    publish_code(CODE_WRITTEN + place, CODE + place, sizeof(instruction));
}

void publish_instructions(void)
{
    publish(attack_code, (seL4_Word)(attack_code_end - attack_code));
}

static void expect_ending(const struct attack *attack)
{
    seL4_Word point = in_culprit(attack->point);
    switch (attack->ending) {
    case EXCEPTION:
        expect_exception(point, attack->number, attack->code);
        break;
    case UNCHECKED:
        if (report.words[seL4_UserException_FaultIP] == in_culprit(attack->end)) {
            expect_exception(in_culprit(attack->end), UNDEFINED_NUMBER, 0);
            return;
        }
        expect_exception(point, attack->number, attack->code);
        break;
    case TRAPPED:
        expect_exception(point, trapped_number(attack, report.words[seL4_UserException_Number]),
                         trapped_code(attack, report.words[seL4_UserException_Code]));
        break;
    case SYSTEM_CALL:
        expect_system_call(point, attack->number);
        break;
    case MEMORY:
        expect_memory_fault(point, attack->code, 0);
        expect("the status", report.words[seL4_VMFault_FSR], attack->number);
        break;
    default:
        point = in_culprit(attack->end);
        expect_exception(point, UNDEFINED_NUMBER, 0);
        break;
    }
    if (!attack->changes) {
        expect_registers(point);
    }
}

void instructions_end_as_documented(void)
{
    for (const struct attack *attack = attack_table; attack != attack_table_end; attack++) {
        begin(attack->name, attack->code ? attack->code : attack->number);
        prepare(in_culprit(attack->start));
        attempt();
        expect_ending(attack);
        ask_neighbours();
    }
    end_series("instructions");
}
