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
 *
 * An element of an array is a key of its own, with a constant index, and is bound as symbol="traces[2]". The name of the
 * array binds all of its elements to one key of the system:
 *
 *   LIMEN_STATIC_KEY_ARRAY_FALSE(traces, 4);
 *
 *   if (limen_static_branch_unlikely(traces[2])) { ... }
 *
 * Where a branch cannot be patched, it loads the key and tests it, and the kernel stores the key's state there. This is the
 * fallback, for position-independent code on x86_64, for unknown compilers and architectures, and for code that defines
 * LIMEN_STATIC_KEY_FALLBACK. Files with and without it can be linked together.
 */
#ifndef LIMEN_STATIC_KEY_H
#define LIMEN_STATIC_KEY_H

/* A key. The tool reads its default and writes its state; only a fallback branch reads it. */
typedef struct limen_static_key {
    unsigned long long is_on;
} limen_static_key_t;

/* A section of the file, so that the tool finds even a key that is zero. The linker script places it in read-only memory,
 * so that no program changes the state that its branches follow. */
#define LIMEN_STATIC_KEY_PLACE __attribute__((section(".limen_keys"), aligned(8), used))

/* Define a key, off or on by default. */
#define LIMEN_STATIC_KEY_FALSE(name) limen_static_key_t name LIMEN_STATIC_KEY_PLACE = { 0 }
#define LIMEN_STATIC_KEY_TRUE(name) limen_static_key_t name LIMEN_STATIC_KEY_PLACE = { 1 }

/* Define an array of keys, all of them off or on by default. */
#define LIMEN_STATIC_KEY_ARRAY_FALSE(name, count) limen_static_key_t name[count] LIMEN_STATIC_KEY_PLACE = { { 0 } }
#if defined(__cplusplus)
struct limen_static_key_on : limen_static_key {
    constexpr limen_static_key_on() : limen_static_key{ 1 } {}
};
#define LIMEN_STATIC_KEY_ARRAY_TRUE(name, count) limen_static_key_on name[count] LIMEN_STATIC_KEY_PLACE
#else
#define LIMEN_STATIC_KEY_ARRAY_TRUE(name, count)                                                                   \
    limen_static_key_t name[count] LIMEN_STATIC_KEY_PLACE = { [0 ...(count)-1] = { 1 } }
#endif

/* On x86_64, compilers do not accept the address of a key in assembly of position-independent code. */
#if !defined(LIMEN_STATIC_KEY_FALLBACK) &&                                                                         \
    (!defined(__GNUC__) || (defined(__clang__) && __clang_major__ < 9) ||                                          \
     !(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)) || (defined(__x86_64__) && defined(__PIC__)))
#define LIMEN_STATIC_KEY_FALLBACK
#endif

#if defined(LIMEN_STATIC_KEY_FALLBACK)

/* Tells the tool that this program reads its keys. */
__asm__(".pushsection limen_key_words, \"\", %progbits\n\t.byte 1\n\t.popsection");

/* True if the key is on. The first macro suits code for which the key is usually off, the second code for which it is on. */
static inline __attribute__((always_inline)) int limen_static_key_is_on(const volatile limen_static_key_t *key)
{
    return key->is_on != 0;
}
#define LIMEN_STATIC_KEY_IS_ON(key) limen_static_key_is_on(&(key))
#define limen_static_branch_unlikely(key) __builtin_expect(LIMEN_STATIC_KEY_IS_ON(key), 0)
#define limen_static_branch_likely(key) __builtin_expect(LIMEN_STATIC_KEY_IS_ON(key), 1)

#else

/* The branch before the tool patches it: a jump within one aligned word of eight bytes. */
#if defined(__x86_64__)
/* The assembler picks the shortest encoding for jumps only. No-op prefixes fill the word. */
#define LIMEN_KEY_JUMP ".p2align 3, 0x3e, 4\n771:\n\tjmp %l[limen_jumped]\n"
#define LIMEN_KEY_NAME "%c0"
#define LIMEN_KEY_CONSTRAINT "i"
#elif defined(__aarch64__)
#define LIMEN_KEY_JUMP "771:\n\tb %l[limen_jumped]\n"
#define LIMEN_KEY_NAME "%c0"
#if defined(__clang__)
#define LIMEN_KEY_CONSTRAINT "i"
#else
#define LIMEN_KEY_CONSTRAINT "S"
#endif
#else
#define LIMEN_KEY_JUMP                                                                                             \
    ".p2align 3, , 2\n\t.option push\n\t.option norvc\n\t.option norelax\n771:\n\tj %l[limen_jumped]\n\t.option pop\n"
#define LIMEN_KEY_NAME "%0"
#define LIMEN_KEY_CONSTRAINT "i"
#endif

/* An entry of the branch table, which is not loaded: the jump, its target, its key. Bit 0 of the key means that the branch
 * jumps while the key is off. */
#define LIMEN_KEY_ROW(jumps_if_off)                                                                                \
    "\t.pushsection limen_key_sites, \"\", %%progbits\n\t.quad 771b\n\t.quad %l[limen_jumped]\n\t.quad " LIMEN_KEY_NAME \
    " + " jumps_if_off "\n\t.popsection"

#define LIMEN_KEY_BRANCH(key, jumps_if_off)                                                                        \
    __asm__ goto(LIMEN_KEY_JUMP LIMEN_KEY_ROW(jumps_if_off) : : LIMEN_KEY_CONSTRAINT(&(key)) : : limen_jumped)

/* In C++, some compilers refuse two such expressions in one function, because they take the labels of one for those of the
 * other. Each lambda is a function of its own. */
#if defined(__cplusplus)
#define LIMEN_STATIC_BRANCH(key, jumped, jumps_if_off)                                                             \
    ([]() __attribute__((always_inline)) -> int {                                                                  \
        LIMEN_KEY_BRANCH(key, jumps_if_off);                                                                       \
        return !(jumped);                                                                                          \
    limen_jumped:                                                                                                  \
        return (jumped);                                                                                           \
    }())
#else
#define LIMEN_STATIC_BRANCH(key, jumped, jumps_if_off)                                                             \
    __extension__({                                                                                                \
        __label__ limen_jumped;                                                                                    \
        int limen_is_on = !(jumped);                                                                               \
        LIMEN_KEY_BRANCH(key, jumps_if_off);                                                                       \
        if (0) {                                                                                                   \
        limen_jumped:                                                                                              \
            limen_is_on = (jumped);                                                                                \
        }                                                                                                          \
        limen_is_on;                                                                                               \
    })
#endif

/* True if the key is on. The first macro suits code for which the key is usually off, the second code for which it is on. */
#define limen_static_branch_unlikely(key) __builtin_expect(LIMEN_STATIC_BRANCH(key, 1, "0"), 0)
#define limen_static_branch_likely(key) __builtin_expect(LIMEN_STATIC_BRANCH(key, 0, "1"), 1)

#endif /* LIMEN_STATIC_KEY_FALLBACK */

#endif /* LIMEN_STATIC_KEY_H */
