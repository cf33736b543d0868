/* The branches of both programs. Four lie on the way of a message, and are not taken until the end. */
#ifndef BENCH_PIPE_H
#define BENCH_PIPE_H

#include <limen/static_key.h>
#include <microkit.h>

/* Branches in each program. */
#define BRANCHES 4

/* In every build, so that the description is the same. */
LIMEN_STATIC_KEY_FALSE(dormant);

#if defined(BUILD_keys)
#define IS_ON limen_static_branch_unlikely(dormant)
#define IS_SWITCHED 1
#elif defined(BUILD_fallback)
static volatile int flag;
#define IS_ON __builtin_expect(flag, 0)
#define IS_SWITCHED 1
#elif defined(BUILD_none)
#define IS_ON 0
#define IS_SWITCHED 0
#else
#error "what is a branch?"
#endif

/* A message that has come by a branch which was taken: its label is one more. Out of the way, as the code behind such
 * branches usually is. */
static __attribute__((noinline, cold, unused)) microkit_msginfo marked(microkit_msginfo message)
{
    return microkit_msginfo_new(microkit_msginfo_get_label(message) + 1, 0);
}

#define PASS_ONE(message)                                                                                          \
    if (IS_ON) {                                                                                                   \
        (message) = marked(message);                                                                               \
    }

/* The message past all branches. */
static inline microkit_msginfo pass(microkit_msginfo message)
{
    PASS_ONE(message)
    PASS_ONE(message)
    PASS_ONE(message)
    PASS_ONE(message)
    return message;
}

/* Switches the flag of this program, where that is what branches are on. */
static inline void switch_flag_on(void)
{
#if defined(BUILD_fallback)
    flag = 1;
#endif
}

#endif /* BENCH_PIPE_H */
