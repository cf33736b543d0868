# Builds a system of test programs: included by the Makefile of each suite.
#
#   PROGRAMS   programs of the system; each has a source of its name in the suite's folder, NAME.c
#   PARTS_NAME further objects of a program, as in PARTS_worker := hold.o
#   TESTS      tests that a complete run reports
#   SOURCES    other folders with sources of this suite
#   SYSTEM     description, if it is not NAME.system
#   MORE_COMMON  objects that go into every program, beside those of this folder
#   MORE_FLAGS   flags for the compiler
#   MORE_ADDRESSES  further changes that a board needs in the description, for sed
#
# What is different between architectures is in a folder of the architecture's name, beside the other sources.
#
# The caller sets BUILD_DIR, MICROKIT_SDK, MICROKIT_BOARD and MICROKIT_CONFIG, and LLVM=True for clang. SHARED_OBJECTS is a
# folder for objects that systems share; without it, each system compiles its own.

ifeq ($(strip $(BUILD_DIR)),)
$(error BUILD_DIR must be set)
endif
ifeq ($(strip $(MICROKIT_SDK)),)
$(error MICROKIT_SDK must be set)
endif
ifeq ($(strip $(MICROKIT_BOARD)),)
$(error MICROKIT_BOARD must be set)
endif
ifeq ($(strip $(MICROKIT_CONFIG)),)
$(error MICROKIT_CONFIG must be set)
endif

NAME := $(notdir $(CURDIR))
TESTS ?= 0
SUPPORT := $(dir $(lastword $(MAKEFILE_LIST)))
BOARD_DIR := $(MICROKIT_SDK)/board/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)
TOOL := $(MICROKIT_SDK)/bin/microkit

all:

include $(SUPPORT)board.mk

ifeq ($(strip $(LLVM)),True)
CC := clang -target $(ARCH)-none-elf
LD := ld.lld
else
CC := $(GCC)-gcc
LD := $(GCC)-ld
endif

INCLUDES := $(addprefix -I,$(BOARD_DIR)/include . $(ARCH) $(SUPPORT) $(SUPPORT)$(ARCH) $(SOURCES))
FLAGS := $(ARCH_FLAGS) -ffreestanding -nostdlib -fno-pic -fno-stack-protector -g -O2 -MMD -MP
WARNINGS := -std=gnu11 -Wall -Wextra -Werror
CFLAGS := $(FLAGS) $(INCLUDES) $(WARNINGS) \
    -DSUITE_NAME='"$(NAME)"' -DSUITE_TESTS=$(TESTS)ul $(MORE_FLAGS)
LDFLAGS := -L$(BOARD_DIR)/lib
LIBS := -lmicrokit -Tmicrokit.ld

PARTS_uart := $(UART)
COMMON := test.o print.o text.o memory.o $(MORE_COMMON)

# Objects that no definition of a suite changes are compiled once for all systems with the same compiler and options of the
# machine.
SHARED := test.o print.o text.o memory.o $(UART)
SHARED_OBJECTS ?= $(BUILD_DIR)/shared
SHARED_FLAGS := $(FLAGS) $(filter -m%,$(MORE_FLAGS)) $(WARNINGS) \
    $(addprefix -I,$(abspath $(BOARD_DIR)/include $(SUPPORT) $(SUPPORT)$(ARCH)))
SHARED_DIR := $(SHARED_OBJECTS)/$(firstword $(shell echo '$(CC) $(SHARED_FLAGS)' | cksum))
objects = $(foreach object,$1,$(if $(filter $(object),$(SHARED)),$(SHARED_DIR),$(BUILD_DIR))/$(object))

SYSTEM ?= $(NAME).system
IMAGE := $(BUILD_DIR)/loader.img
ELFS := $(PROGRAMS:%=$(BUILD_DIR)/%.elf) $(BUILD_DIR)/uart.elf

VPATH := $(ARCH) $(SOURCES) $(SUPPORT)

all: $(IMAGE)

# Other flags make other objects.
$(BUILD_DIR)/more_flags: ALWAYS | $(BUILD_DIR)
	@echo '$(MORE_FLAGS)' | cmp -s - $@ || echo '$(MORE_FLAGS)' > $@

$(BUILD_DIR)/%.o: %.c $(MAKEFILE_LIST) $(BUILD_DIR)/more_flags | $(BUILD_DIR)
	$(CC) $(CFLAGS) -c $< -o $@

$(BUILD_DIR)/%.o: %.S $(MAKEFILE_LIST) | $(BUILD_DIR)
	$(CC) $(FLAGS) $(INCLUDES) -c $< -o $@

# Systems that are built side by side may both compile one: each writes files of its own, which no other reads, and renames
# them.
$(SHARED_DIR)/%.o: $(SUPPORT)%.c | $(SHARED_DIR)
	$(CC) $(SHARED_FLAGS) -MT $@ -MF $@.$$$$.new -c $< -o $@.$$$$ && mv $@.$$$$.new $(@:.o=.d) && mv $@.$$$$ $@

.SECONDEXPANSION:
$(BUILD_DIR)/%.elf: $$(call objects,$$*.o $$(PARTS_$$*) $(COMMON)) $(BOARD_DIR)/lib/libmicrokit.a
	$(LD) $(LDFLAGS) $(filter %.o,$^) $(LIBS) -o $@

$(IMAGE): $(ELFS) $(BUILD_DIR)/$(SYSTEM) $(TOOL)
	$(TOOL) $(filter %.system,$^) --search-path $(BUILD_DIR) --board $(MICROKIT_BOARD) --config $(MICROKIT_CONFIG) \
	    -o $@ -r $(BUILD_DIR)/report.txt

$(BUILD_DIR) $(SHARED_DIR):
	mkdir -p $@

.SECONDARY:
.PHONY: all ALWAYS
-include $(wildcard $(BUILD_DIR)/*.d $(SHARED_DIR)/*.d)
