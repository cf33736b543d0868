/* Static keys in programs: a branch costs one no-op until its key is switched.
 *
 *   LIMEN_STATIC_KEY_FALSE(trace);
 *
 *   if (limen_static_branch_unlikely(trace)) {
 *       print("called");
 *   }
 *
 * The system description binds the program's key to a key of the system. Programs with a capability to that key switch it
 * (limen_key_enable and its siblings in limen.h):
 *
 *   <static_key name="net_trace"/>
 *   <protection_domain name="driver"> ... <key name="net_trace" symbol="trace"/>
 *
 * An unbound key keeps its default. Keys are global symbols and can be declared in other files:
 *
 *   extern limen_static_key_t trace;
 */
#ifndef LIMEN_STATIC_KEY_H
#define LIMEN_STATIC_KEY_H

/* A key. The tool reads its default value, which applies while the key is unbound; the program never reads it. */
typedef struct limen_static_key {
    unsigned long long is_on_by_default;
} limen_static_key_t;

/* Defines a key. The section has contents in the file, so that the tool finds even a key that is zero. */
#define LIMEN_STATIC_KEY(name, value)                                                                              \
    limen_static_key_t name __attribute__((section(".data.limen_keys"), aligned(8), used)) = { value }
#define LIMEN_STATIC_KEY_FALSE(name) LIMEN_STATIC_KEY(name, 0)
#define LIMEN_STATIC_KEY_TRUE(name) LIMEN_STATIC_KEY(name, 1)

/* The branch before the tool patches it: a jump within one aligned word of eight bytes. */
#if defined(__x86_64__)
/* The assembler picks the shortest encoding for jumps only. No-op prefixes fill the word. */
#define LIMEN_KEY_JUMP ".p2align 3, 0x3e, 4\n771:\n\tjmp %l[limen_jumped]\n"
#define LIMEN_KEY_NAME "%c0"
#define LIMEN_KEY_CONSTRAINT "i"
#elif defined(__aarch64__)
#define LIMEN_KEY_JUMP "771:\n\tb %l[limen_jumped]\n"
#define LIMEN_KEY_NAME "%c0"
#define LIMEN_KEY_CONSTRAINT "S"
#elif defined(__riscv)
#define LIMEN_KEY_JUMP                                                                                             \
    ".p2align 3, , 2\n\t.option push\n\t.option norvc\n\t.option norelax\n771:\n\tj %l[limen_jumped]\n\t.option pop\n"
#define LIMEN_KEY_NAME "%0"
#define LIMEN_KEY_CONSTRAINT "i"
#else
#error "static keys are not supported on this architecture"
#endif

/* An entry of the branch table, which is not loaded: the jump, its target, its key. Bit 0 of the key means that the branch
 * jumps while the key is off. */
#define LIMEN_KEY_ROW(jumps_if_off)                                                                                \
    "\t.pushsection limen_key_sites, \"\", %%progbits\n\t.quad 771b\n\t.quad %l[limen_jumped]\n\t.quad " LIMEN_KEY_NAME \
    " + " jumps_if_off "\n\t.popsection"

#define LIMEN_STATIC_BRANCH(key, jumped, jumps_if_off)                                                             \
    __extension__({                                                                                                \
        __label__ limen_jumped;                                                                                    \
        int limen_is_on = !(jumped);                                                                               \
        __asm__ goto(LIMEN_KEY_JUMP LIMEN_KEY_ROW(jumps_if_off) : : LIMEN_KEY_CONSTRAINT(&(key)) : : limen_jumped);                  \
        if (0) {                                                                                                   \
        limen_jumped:                                                                                              \
            limen_is_on = (jumped);                                                                                \
        }                                                                                                          \
        limen_is_on;                                                                                               \
    })

/* True if the key is on. The first suits code for which the key is usually off, the second code for which it is on. */
#define limen_static_branch_unlikely(key) __builtin_expect(LIMEN_STATIC_BRANCH(key, 1, "0"), 0)
#define limen_static_branch_likely(key) __builtin_expect(LIMEN_STATIC_BRANCH(key, 0, "1"), 1)

#endif /* LIMEN_STATIC_KEY_H */
