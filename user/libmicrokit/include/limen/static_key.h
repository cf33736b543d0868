/* Static keys in programs: branches that cost one instruction that does nothing, until they are switched.
 *
 *   LIMEN_STATIC_KEY_FALSE(trace);
 *
 *   if (limen_static_branch_unlikely(trace)) {
 *       print("called");
 *   }
 *
 * The system description binds the key of a program to one of the system, which whoever has its capability switches
 * (limen_key_enable and the like of limen.h):
 *
 *   <static_key name="net_trace"/>
 *   <protection_domain name="driver"> ... <key name="net_trace" symbol="trace"/>
 *
 * A key that is not bound keeps its default. Keys are global, also those of other files:
 *
 *   extern limen_static_key_t trace;
 */
#ifndef LIMEN_STATIC_KEY_H
#define LIMEN_STATIC_KEY_H

/* A key. The tool reads the default that it has without a key of the system; the program does not read it. */
typedef struct limen_static_key {
    unsigned long long is_on_by_default;
} limen_static_key_t;

/* Defines a key. In a section with contents, where the tool finds it even if it is zero. */
#define LIMEN_STATIC_KEY(name, value)                                                                              \
    limen_static_key_t name __attribute__((section(".data.limen_keys"), aligned(8), used)) = { value }
#define LIMEN_STATIC_KEY_FALSE(name) LIMEN_STATIC_KEY(name, 0)
#define LIMEN_STATIC_KEY_TRUE(name) LIMEN_STATIC_KEY(name, 1)

/* What a branch is before the tool has given it its instruction: a jump in one word of eight bytes. */
#if defined(__x86_64__)
/* Only of jumps does the assembler choose the shortest. Prefixes that do nothing fill up. */
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
#error "there are no static keys for this architecture"
#endif

/* A row of the list of branches, which is not loaded: the jump, its target, its key; bit 0 says that it jumps while the
 * key is off. */
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

/* Whether a key is on, for code that usually runs while it is off, and while it is on. */
#define limen_static_branch_unlikely(key) __builtin_expect(LIMEN_STATIC_BRANCH(key, 1, "0"), 0)
#define limen_static_branch_likely(key) __builtin_expect(LIMEN_STATIC_BRANCH(key, 0, "1"), 1)

#endif /* LIMEN_STATIC_KEY_H */
