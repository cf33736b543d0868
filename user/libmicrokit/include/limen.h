/* What only Limen offers. */
#ifndef LIMEN_H
#define LIMEN_H

#include <limen/probe.h>
#include <limen/service.h>
#include <limen/slots.h>
#include <microkit.h>
#include <sel4/sel4.h>

/* The processor's cycle counter; in deterministic emulation it counts instructions. On AArch64, whatever the program
 * does before the call is complete when the counter is read. Faults unless the system description grants <counter/>. */
LIMEN_INLINE seL4_Uint64 limen_counter(void)
{
    seL4_Uint64 count;
    LIMEN_READ_COUNTER(count);
    return count;
}

/* What the counter said at the first instruction of the loader: counts of boot start here. Read it before anything is
 * written to the user data of the IPC buffer. */
LIMEN_INLINE seL4_Uint64 limen_boot_stamp(void)
{
    return seL4_GetIPCBuffer()->userData;
}

/* How often since boot floating-point registers were stored to memory and read from it, and the unit was turned on,
 * turned off, and met turned off by an instruction. */
typedef struct limen_fpu_counters {
    seL4_Word saves;
    seL4_Word loads;
    seL4_Word enables;
    seL4_Word disables;
    seL4_Word faults;
} limen_fpu_counters_t;

/* Reads the counts. An error unless the system description grants <fpu_counters/>. */
static inline seL4_Error limen_fpu_counters(limen_fpu_counters_t *counters)
{
    limen_received_t answer = limen_invoke(LIMEN_FPU_COUNTERS_CAP, LimenFpuReadCounters, 0, 0, limen_two_words(0, 0));
    seL4_Error error = limen_outcome(answer);
    counters->saves = answer.words.mr0;
    counters->loads = answer.words.mr1;
    counters->enables = answer.words.mr2;
    counters->disables = answer.words.mr3;
    counters->faults = seL4_GetMR(LIMEN_FPU_COUNTERS - 1);
    return error;
}

/* Chooses when floating-point registers are switched, and options LIMEN_FPU_..., for the whole system. An error unless
 * the system description grants <fpu_policy/>. */
static inline seL4_Error limen_fpu_set_policy(limen_fpu_policy_t policy, seL4_Word options)
{
    limen_words_t words = limen_two_words((seL4_Word)policy, options);
    return limen_outcome(limen_invoke(LIMEN_FPU_POLICY_CAP, LimenFpuSetPolicy, 0, 2, words));
}

/* For parents: allows a child to use the floating-point unit, or forbids it, at once. Its registers stay what they are. */
static inline seL4_Error limen_fpu_allow(microkit_child child)
{
    return (seL4_Error)seL4_TCB_Set_Flags(limen_child_thread(child), seL4_TCBFlag_fpuDisabled, 0);
}

static inline seL4_Error limen_fpu_forbid(microkit_child child)
{
    return (seL4_Error)seL4_TCB_Set_Flags(limen_child_thread(child), 0, seL4_TCBFlag_fpuDisabled);
}

/* For `fault`: whether the message says that the child has used the unit without being allowed to. */
static inline seL4_Bool limen_fpu_was_used(microkit_msginfo msginfo)
{
    seL4_Word number = seL4_GetMR(seL4_UserException_Number), code = seL4_GetMR(seL4_UserException_Code);
    return microkit_msginfo_get_label(msginfo) == seL4_Fault_UserException && LIMEN_IS_FPU_OFF(number, code);
}

/* For `fault`: floating point on demand. A child that has used the unit gets it, and the instruction is repeated if
 * `fault` returns true, too. False for any other fault, which is left to the caller. */
static inline seL4_Bool limen_fpu_on_demand(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply)
{
    if (!limen_fpu_was_used(msginfo) || limen_fpu_allow(child) != seL4_NoError) {
        return seL4_False;
    }
    *reply = microkit_msginfo_new(0, 0);
    return seL4_True;
}

/* What a static key is. */
typedef struct limen_key_state {
    seL4_Bool enabled;
    seL4_Word count; /* how many want it on, the description included */
    seL4_Word own;   /* how often the caller holds it */
} limen_key_state_t;

/* Static keys, by the ids that the system description gives them: <key name="..." id="..."/>. All of these are errors for an
 * id without a key. A key is on as long as somebody holds it; one that is on by default is held by nobody in particular,
 * and one program may take that hold away. Whoever stops or is started again holds nothing any more. A change of
 * branches is done when the call returns, and takes the caller's time. */

/* Turns a key on that nobody counts. seL4_IllegalOperation if it is held more than once. */
static inline seL4_Error limen_key_enable(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyEnable, 0);
}

/* Turns a key off. seL4_IllegalOperation if it is held more than once, or by somebody else. */
static inline seL4_Error limen_key_disable(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyDisable, 0);
}

/* Holds a key once more. seL4_RangeError if the caller holds it LIMEN_KEY_HOLDS times. */
static inline seL4_Error limen_key_inc(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyInc, 0);
}

/* Gives back a hold. seL4_IllegalOperation if the caller has none. */
static inline seL4_Error limen_key_dec(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyDec, 0);
}

/* Tells what a key is. */
static inline seL4_Error limen_key_read(seL4_Word id, limen_key_state_t *state)
{
    limen_words_t none = limen_two_words(0, 0);
    limen_received_t answer = limen_invoke(LIMEN_BASE_KEY_CAP + id, LimenKeyRead, 0, 0, none);
    state->enabled = answer.words.mr0 != 0;
    state->count = answer.words.mr1;
    state->own = answer.words.mr2;
    return limen_outcome(answer);
}

#endif /* LIMEN_H */
