/* The branches of both programs. Four are on a message's path in each program and are not taken until the end. */
#ifndef BENCH_PIPE_H
#define BENCH_PIPE_H

#include <limen/static_key.h>
#include <microkit.h>

/* Branches in each program. */
#define BRANCHES 4

/* Present in every build, so that the description is the same. */
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
#error "unknown kind of branch"
#endif

/* Increments the label of a message that passes a taken branch. Out of line, as the code behind such branches usually
 * is. */
static __attribute__((noinline, cold, unused)) microkit_msginfo marked(microkit_msginfo message)
{
    return microkit_msginfo_new(microkit_msginfo_get_label(message) + 1, 0);
}

#define PASS_ONE(message)                                                                                          \
    if (IS_ON) {                                                                                                   \
        (message) = marked(message);                                                                               \
    }

/* Passes the message through all branches. */
static inline microkit_msginfo pass(microkit_msginfo message)
{
    PASS_ONE(message)
    PASS_ONE(message)
    PASS_ONE(message)
    PASS_ONE(message)
    return message;
}

/* Switches this program's flag, in the build whose branches test one. */
static inline void switch_flag_on(void)
{
#if defined(BUILD_fallback)
    flag = 1;
#endif
}

#endif /* BENCH_PIPE_H */
