/* Switches that are functions and keep registers on the stack: what a library without inline code can reach. */

#include <stdint.h>
#include "compare.h"

/* Registers, and the address to continue at, from the stack pointer upwards. */
#define FRAME_WORDS 7

typedef void (*plain_t)(uintptr_t *from, const uintptr_t *to);
void plain_by_return(uintptr_t *from, const uintptr_t *to);
void plain_by_jump(uintptr_t *from, const uintptr_t *to);

static uintptr_t here;
static uintptr_t there;

static void return_back(void)
{
    for (;;) {
        plain_by_return(&there, &here);
    }
}

static void jump_back(void)
{
    for (;;) {
        plain_by_jump(&there, &here);
    }
}

static void prepare(void (*start)(void))
{
    static uintptr_t stack[COMPARE_STACK_BYTES / sizeof(uintptr_t)] __attribute__((aligned(16)));
    uintptr_t *frame = stack + COMPARE_STACK_BYTES / sizeof(uintptr_t) - FRAME_WORDS - 1;
    frame[FRAME_WORDS - 1] = (uintptr_t)start;
    there = (uintptr_t)frame;
}

void plain_return(long count)
{
    prepare(return_back);
    for (long i = 0; i < count; i += 2) {
        plain_by_return(&here, &there);
    }
}

void plain_jump(long count)
{
    prepare(jump_back);
    for (long i = 0; i < count; i += 2) {
        plain_by_jump(&here, &there);
    }
}
