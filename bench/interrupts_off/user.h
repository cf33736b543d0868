/* What is different between architectures. */
#ifndef BENCH_USER_H
#define BENCH_USER_H

#include <limen.h>

#include "instructions.h"

/* Ways in which the server receives. */
#define SERVER_STEPS 7

/* The first word of a message whose receiver does not answer. */
#define SENT 7

#if defined(CONFIG_ARCH_AARCH64)
#define PSCI_VERSION 0x84000000ul
/* fmov d0, xzr */
#define USE_FPU ".inst 0x9e6703e0"
#elif defined(CONFIG_ARCH_X86)
#define FREE_PORT 0xcf8
#define USE_FPU "xorps %xmm0, %xmm0"
#else
/* fmv.d.x f0, x0 */
#define USE_FPU ".word 0xf2000053"
#endif

static inline void use_fpu(void)
{
    __asm__ volatile (USE_FPU);
}

#endif /* BENCH_USER_H */
