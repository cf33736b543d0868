/* Selects the constants of the target architecture. No other header asks which one it is. */
#ifndef LIMEN_ARCH_H
#define LIMEN_ARCH_H

#include <autoconf.h>

#if defined(CONFIG_ARCH_AARCH64)
#include <limen/aarch64.h>
#elif defined(CONFIG_ARCH_RISCV)
#include <limen/riscv64.h>
#elif defined(CONFIG_ARCH_X86_64)
#include <limen/x86_64.h>
#else
#error "this SDK has no headers for the configured architecture"
#endif

#endif /* LIMEN_ARCH_H */
