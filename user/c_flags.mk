# How the C parts of the SDK are compiled, whatever the compiler.
#
# No FPU or vector register is used, so that programs that may not touch them can still receive messages. The
# library must not need any other: projects link it with nothing else.

ifeq ($(origin CC),default)
CC := clang
endif
ifeq ($(origin AR),default)
AR := llvm-ar
endif
ifeq ($(origin LD),default)
LD := ld.lld
endif

# The SDK must not depend on where the sources lie (xtask/src/reproducible.rs has the same name for them).
REPOSITORY := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)

TARGET_FLAGS_aarch64 := -mgeneral-regs-only -mstrict-align
# Programs pass floating-point arguments in registers, unless the board goes by an older name (SOFT_FLOAT=True); objects
# that differ in that cannot be linked. The library's own code is free of floating point, so it uses none of these
# registers.
TARGET_FLAGS_riscv64 := $(if $(SOFT_FLOAT),-march=rv64imac -mabi=lp64,-march=rv64imafdc -mabi=lp64d) -mcmodel=medany
TARGET_FLAGS_x86_64 := -mgeneral-regs-only -march=x86-64 -mtune=generic
TARGET_FLAGS := $(TARGET_FLAGS_$(ARCH))
ifneq ($(findstring clang,$(CC)),)
TARGET_FLAGS += -target $(ARCH)-none-elf
else
NO_LOOP_IDIOMS := -fno-tree-loop-distribute-patterns
endif

CFLAGS = $(TARGET_FLAGS) -std=gnu11 -ffreestanding -nostdlib -O2 -g -Wall -Wextra -Werror \
    -ffile-prefix-map=$(REPOSITORY)=/usr/src/limen \
    -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables \
    -MMD -MP $(addprefix -I,$(INCLUDE))
# In the fifth version of debug information, clang's assembler writes the folder as it is.
ASFLAGS = $(CFLAGS) -gdwarf-4
