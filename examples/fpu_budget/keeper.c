/* Grants floating point to a child at its first use in a budget, and revokes it at the end of that budget: a child has
 * the unit only in budgets in which it needs it. */

#include <limen.h>
#include <microkit.h>

#define CHILDREN 2
#define BUDGETS 3

static const char *const names[CHILDREN] = { "painter", "writer" };

static struct child {
    seL4_Bool has_unit;
    seL4_Uint32 grants;
    seL4_Uint32 budgets;
} children[CHILDREN];

static int stopped;

static void print_number(const char *before, seL4_Word number)
{
    microkit_dbg_puts(before);
    microkit_dbg_put32((seL4_Uint32)number);
}

static void print_child(microkit_child child)
{
    microkit_dbg_puts("keeper: ");
    microkit_dbg_puts(names[child]);
    print_number(" ran for budgets: ", children[child].budgets);
    print_number(", with floating point: ", children[child].grants);
    microkit_dbg_puts("\n");
}

static void print_counters(void)
{
    limen_fpu_counters_t counters;
    if (limen_fpu_counters(&counters) != seL4_NoError) {
        microkit_dbg_puts("LIMEN|FAIL the counters were not read\n");
        return;
    }
    print_number("kernel: registers saved ", counters.saves);
    print_number(", loaded ", counters.loads);
    print_number(", unit on ", counters.enables);
    print_number(", off ", counters.disables);
    print_number(", found off ", counters.faults);
    microkit_dbg_puts("\nLIMEN|DONE\n");
}

static void print_results(void)
{
    for (microkit_child child = 0; child < CHILDREN; child++) {
        print_child(child);
    }
    print_counters();
}

/* Revokes the unit, and stops the child after its last budget. Returns whether the child continues. */
static seL4_Bool end_budget(microkit_child child)
{
    children[child].budgets++;
    if (children[child].has_unit) {
        children[child].has_unit = seL4_False;
        limen_fpu_forbid(child);
    }
    if (children[child].budgets < BUDGETS) {
        return seL4_True;
    }
    microkit_pd_stop(child);
    if (++stopped == CHILDREN) {
        print_results();
    }
    return seL4_False;
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    if (microkit_msginfo_get_label(msginfo) == seL4_Fault_Timeout) {
        *reply_msginfo = microkit_msginfo_new(0, 0);
        return end_budget(child);
    }
    if (!limen_fpu_on_demand(child, msginfo, reply_msginfo)) {
        /* Another fault: the child stays stopped. */
        return seL4_False;
    }
    children[child].has_unit = seL4_True;
    children[child].grants++;
    return seL4_True;
}
