/* Limen's extensions to the Microkit interface. */
#ifndef LIMEN_H
#define LIMEN_H

#include <limen/probe.h>
#include <limen/service.h>
#include <limen/slots.h>
#include <microkit.h>
#include <sel4/sel4.h>

/* Reads the processor's cycle counter; in deterministic emulation it counts instructions. On AArch64, all earlier
 * instructions complete before the read. Faults unless the system description grants <counter/>. */
LIMEN_INLINE seL4_Uint64 limen_counter(void)
{
    seL4_Uint64 count;
    LIMEN_READ_COUNTER(count);
    return count;
}

/* Returns the counter value at the loader's first instruction, the start of boot measurements. Read it before writing to
 * the user data of the IPC buffer. */
LIMEN_INLINE seL4_Uint64 limen_boot_stamp(void)
{
    return seL4_GetIPCBuffer()->userData;
}

/* Counts since boot: how often the kernel saved and restored floating-point registers, turned the unit on and off, and
 * took a trap because an instruction found the unit off. */
typedef struct limen_fpu_counters {
    seL4_Word saves;
    seL4_Word loads;
    seL4_Word enables;
    seL4_Word disables;
    seL4_Word faults;
} limen_fpu_counters_t;

/* Reads the counts. Returns an error unless the system description grants <fpu_counters/>. */
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

/* Sets the policy for switching floating-point registers, and options LIMEN_FPU_..., for the whole system. Returns an
 * error unless the system description grants <fpu_policy/>. */
static inline seL4_Error limen_fpu_set_policy(limen_fpu_policy_t policy, seL4_Word options)
{
    limen_words_t words = limen_two_words(LIMEN_VALUE(seL4_Word, policy), options);
    return limen_outcome(limen_invoke(LIMEN_FPU_POLICY_CAP, LimenFpuSetPolicy, 0, 2, words));
}

/* For parents: allows or forbids a child to use the floating-point unit, with immediate effect. Its registers keep their
 * values. */
static inline seL4_Error limen_fpu_allow(microkit_child child)
{
    return LIMEN_VALUE(seL4_Error, seL4_TCB_Set_Flags(limen_child_thread(child), seL4_TCBFlag_fpuDisabled, 0));
}

static inline seL4_Error limen_fpu_forbid(microkit_child child)
{
    return LIMEN_VALUE(seL4_Error, seL4_TCB_Set_Flags(limen_child_thread(child), 0, seL4_TCBFlag_fpuDisabled));
}

/* For `fault`: returns true if the child faulted because it used the unit without permission. */
static inline seL4_Bool limen_fpu_was_used(microkit_msginfo msginfo)
{
    seL4_Word number = seL4_GetMR(seL4_UserException_Number), code = seL4_GetMR(seL4_UserException_Code);
    return microkit_msginfo_get_label(msginfo) == seL4_Fault_UserException && LIMEN_IS_FPU_OFF(number, code);
}

/* For `fault`: grants floating point on demand. If the child faulted on its first use of the unit, this function enables
 * the unit for it and returns true; the child repeats the instruction if `fault` returns true as well. Returns false for
 * any other fault, which the caller must handle. */
static inline seL4_Bool limen_fpu_on_demand(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply)
{
    if (!limen_fpu_was_used(msginfo) || limen_fpu_allow(child) != seL4_NoError) {
        return seL4_False;
    }
    *reply = microkit_msginfo_new(0, 0);
    return seL4_True;
}

/* The state of a static key. */
typedef struct limen_key_state {
    seL4_Bool enabled;
    seL4_Word count; /* number of holds, including the description's */
    seL4_Word own;   /* number of the caller's holds */
} limen_key_state_t;

/* Static keys, by the ids of the system description: <key name="..." id="..."/>. Every call returns an error for an id
 * without a key. A key is on while its hold count is above zero. A key that is on by default starts with one hold that
 * belongs to no program, and any one program may release it. A program that stops or restarts loses its holds. All
 * branches are patched when the call returns; patching uses the caller's budget. */

/* Turns a key on. seL4_IllegalOperation if it is held more than once. */
static inline seL4_Error limen_key_enable(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyEnable, 0);
}

/* Turns a key off. seL4_IllegalOperation if it is held more than once, or by another program. */
static inline seL4_Error limen_key_disable(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyDisable, 0);
}

/* Takes another hold on a key. seL4_RangeError if the caller already has LIMEN_KEY_HOLDS holds. */
static inline seL4_Error limen_key_inc(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyInc, 0);
}

/* Releases a hold. seL4_IllegalOperation if the caller has none. */
static inline seL4_Error limen_key_dec(seL4_Word id)
{
    return limen_invoke_plain(LIMEN_BASE_KEY_CAP + id, LimenKeyDec, 0);
}

/* Reads the state of a key. */
static inline seL4_Error limen_key_read(seL4_Word id, limen_key_state_t *state)
{
    limen_words_t none = limen_two_words(0, 0);
    limen_received_t answer = limen_invoke(LIMEN_BASE_KEY_CAP + id, LimenKeyRead, 0, 0, none);
    state->enabled = answer.words.mr0 != 0;
    state->count = answer.words.mr1;
    state->own = answer.words.mr2;
    return limen_outcome(answer);
}

/* A hold on a static key that is released late, for a program that turns the key on and off often: code is patched at most
 * twice in each delay. The program passes the time, in a unit of its choice, and calls limen_key_deferred_flush when
 * limen_key_deferred_due says so. A program that restarts initialises the variable again, because it lost its holds.
 *
 *   static limen_key_deferred_t tracing = LIMEN_KEY_DEFERRED(TRACE_KEY, 1000);
 */
typedef struct limen_key_deferred {
    seL4_Word id;
    seL4_Word delay;
    seL4_Word holders; /* number of limen_key_deferred_inc without limen_key_deferred_dec */
    seL4_Word due;     /* when the hold is released, if it is late */
    seL4_Bool is_late; /* the key is held without holders */
} limen_key_deferred_t;

#define LIMEN_KEY_DEFERRED(id, delay) { (id), (delay), 0, 0, seL4_False }

/* Adds a holder. Takes a hold on the key only if there is none. Errors of limen_key_inc. */
static inline seL4_Error limen_key_deferred_inc(limen_key_deferred_t *key)
{
    if (key->holders == 0 && !key->is_late) {
        seL4_Error error = limen_key_inc(key->id);
        if (error != seL4_NoError) {
            return error;
        }
    }
    key->holders++;
    key->is_late = seL4_False;
    return seL4_NoError;
}

/* Removes a holder. After the last one, the hold is due a delay later. seL4_IllegalOperation if there is no holder. */
static inline seL4_Error limen_key_deferred_dec(limen_key_deferred_t *key, seL4_Word now)
{
    if (key->holders == 0) {
        return seL4_IllegalOperation;
    }
    key->holders--;
    key->is_late = key->holders == 0;
    key->due = now + key->delay;
    return seL4_NoError;
}

/* Returns whether the hold is to be released, and stores when. */
static inline seL4_Bool limen_key_deferred_due(const limen_key_deferred_t *key, seL4_Word *due)
{
    *due = key->due;
    return key->is_late;
}

/* Releases the hold if it has no holders, due or not. Errors of limen_key_dec. */
static inline seL4_Error limen_key_deferred_release(limen_key_deferred_t *key)
{
    if (!key->is_late) {
        return seL4_NoError;
    }
    key->is_late = seL4_False;
    return limen_key_dec(key->id);
}

/* Releases the hold if it is due. Errors of limen_key_dec. */
static inline seL4_Error limen_key_deferred_flush(limen_key_deferred_t *key, seL4_Word now)
{
    /* A clock may wrap around. */
    return LIMEN_VALUE(seL4_Int64, now - key->due) >= 0 ? limen_key_deferred_release(key) : seL4_NoError;
}

#endif /* LIMEN_H */
