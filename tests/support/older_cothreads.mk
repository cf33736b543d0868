# The rules of a project with cothreads as users of the older library write them, for a board's older name: the library is
# built for each folder of options in one build folder, and its object is moved away.
#
#   SOURCES             folder with the programs, the description $(SYSTEM).system and options/*/libmicrokitco_opts.h
#   PROGRAMS            names of programs
#   OPTIONS_program     the folder of options that a program is compiled with; none for a program without cothreads
#   LIBRARY_program     the library that it is linked with, if not the one of these options
#   FLAGS_program       more flags for its compiler
#   COMPILER, LINKER, LIBRARY_TOOLS

ifeq ($(strip $(BUILD_DIR)),)
$(error BUILD_DIR must be specified)
endif
ifeq ($(strip $(MICROKIT_SDK)),)
$(error MICROKIT_SDK must be specified)
endif

BOARD_DIR := $(MICROKIT_SDK)/board/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)

all: $(BUILD_DIR)/loader.img

include $(dir $(lastword $(MAKEFILE_LIST)))board.mk

TARGET := $(ARCH)-none-elf
CPU_aarch64 := Cortex-A53
CPU_riscv64 := medany
CPU_x86_64 := Nehalem
LOWER_CPU := $(shell echo $(CPU_$(ARCH)) | tr A-Z a-z)
TIME_FLAGS_aarch64 := -mstrict-align -mtune=$(LOWER_CPU)
TIME_FLAGS_riscv64 := -mcmodel=$(LOWER_CPU) -march=rv64imac -mabi=lp64
TIME_FLAGS_x86_64 := -mtune=$(LOWER_CPU)
CFLAGS := -c $(TIME_FLAGS_$(ARCH)) -O2 -nostdlib -ffreestanding -fno-pic -fno-stack-protector -g -Wall -Werror \
    -I$(BOARD_DIR)/include
LIBS := -L$(BOARD_DIR)/lib -lmicrokit -Tmicrokit.ld

LIBMICROKITCO_PATH := $(MICROKIT_SDK)/libmicrokitco
OUTPUT := $(BUILD_DIR)/libmicrokitco
BUILD_LIBRARY = $(MAKE) -f $(PATH_OF_LIBRARY)/Makefile LIBMICROKITCO_PATH=$(PATH_OF_LIBRARY) BUILD_DIR=$(BUILD_DIR) \
    LIBMICROKITCO_OPT_PATH=$(<D) TARGET=$(TARGET) CPU=$(CPU_$(ARCH)) $(PRIMITIVES) $(LIBRARY_TOOLS)
PATH_OF_LIBRARY ?= $(LIBMICROKITCO_PATH)

# One after the other: they share the folder.
.NOTPARALLEL:

$(OUTPUT)/%_cothreads.o: $(SOURCES)/options/%/libmicrokitco_opts.h FORCE
	$(BUILD_LIBRARY)
	mv $(OUTPUT)/libmicrokitco_$(TARGET).o $@

$(BUILD_DIR)/%.o: $(SOURCES)/%.c FORCE
	mkdir -p $(@D)
	$(COMPILER) $(CFLAGS) $(if $(OPTIONS_$*),-I$(PATH_OF_LIBRARY) -I$(SOURCES)/options/$(OPTIONS_$*)) $(FLAGS_$*) $< -o $@

library_of = $(if $(OPTIONS_$1),$(OUTPUT)/$(or $(LIBRARY_$1),$(OPTIONS_$1)_cothreads.o))
.SECONDEXPANSION:
$(BUILD_DIR)/%.elf: $(BUILD_DIR)/%.o $$(call library_of,$$*)
	$(LINKER) $^ $(LIBS) -o $@

$(BUILD_DIR)/loader.img: $(PROGRAMS:%=$(BUILD_DIR)/%.elf) $(SOURCES)/$(SYSTEM).system
	$(MICROKIT_SDK)/bin/microkit $(SOURCES)/$(SYSTEM).system --search-path $(BUILD_DIR) --board $(MICROKIT_BOARD) \
	    --config $(MICROKIT_CONFIG) -o $@ -r $(BUILD_DIR)/report.txt

FORCE:
.SECONDARY:
.PHONY: all FORCE
