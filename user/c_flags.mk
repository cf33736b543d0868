# Compiler flags for the C parts of the SDK, for every supported compiler.
#
# The code uses no FPU or vector registers, so that programs without FPU access can still receive messages. The
# library depends on no other library, because projects link it alone.

ifeq ($(origin CC),default)
CC := clang
endif
ifeq ($(origin AR),default)
AR := llvm-ar
endif
ifeq ($(origin LD),default)
LD := ld.lld
endif

# The SDK must not depend on the path of the sources (xtask/src/sdk/reproducible.rs uses the same placeholder).
REPOSITORY := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)

TARGET_FLAGS_aarch64 := -mgeneral-regs-only -mstrict-align
# Programs pass floating-point arguments in registers, unless the board has an older name (SOFT_FLOAT=True). Objects
# with different calling conventions cannot be linked. The library's own code has no floating point, so it uses none of
# these registers.
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
# With DWARF 5, clang's assembler writes the build folder without applying the prefix map.
ASFLAGS = $(CFLAGS) -gdwarf-4
