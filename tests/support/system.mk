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
# The caller sets BUILD_DIR, MICROKIT_SDK, MICROKIT_BOARD and MICROKIT_CONFIG, and LLVM=True for clang.

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

FLAGS := $(ARCH_FLAGS) -ffreestanding -nostdlib -fno-pic -fno-stack-protector -g -O2 -MMD -MP \
    $(addprefix -I,$(BOARD_DIR)/include . $(ARCH) $(SUPPORT) $(SUPPORT)$(ARCH) $(SOURCES))
CFLAGS := $(FLAGS) -std=gnu11 -Wall -Wextra -Werror \
    -DSUITE_NAME='"$(NAME)"' -DSUITE_TESTS=$(TESTS)ul $(MORE_FLAGS)
LDFLAGS := -L$(BOARD_DIR)/lib
LIBS := -lmicrokit -Tmicrokit.ld

PARTS_uart := $(UART)
COMMON := test.o print.o text.o memory.o $(MORE_COMMON)
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
	$(CC) $(FLAGS) -c $< -o $@

.SECONDEXPANSION:
$(BUILD_DIR)/%.elf: $(BUILD_DIR)/%.o $$(addprefix $(BUILD_DIR)/,$$(PARTS_$$*) $(COMMON)) $(BOARD_DIR)/lib/libmicrokit.a
	$(LD) $(LDFLAGS) $(filter %.o,$^) $(LIBS) -o $@

$(IMAGE): $(ELFS) $(BUILD_DIR)/$(SYSTEM) $(TOOL)
	$(TOOL) $(filter %.system,$^) --search-path $(BUILD_DIR) --board $(MICROKIT_BOARD) --config $(MICROKIT_CONFIG) \
	    -o $@ -r $(BUILD_DIR)/report.txt

$(BUILD_DIR):
	mkdir -p $@

.SECONDARY:
.PHONY: all ALWAYS
-include $(wildcard $(BUILD_DIR)/*.d)
