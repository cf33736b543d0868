# The rules of such a project: the cothread library is built for each folder of options in one build folder, and its object
# is moved away. The library of `wait_bare` switches by the project's own primitives.

ifeq ($(strip $(BUILD_DIR)),)
$(error BUILD_DIR must be specified)
endif
ifeq ($(strip $(MICROKIT_SDK)),)
$(error MICROKIT_SDK must be specified)
endif

BOARD_DIR := $(MICROKIT_SDK)/board/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)
SUPPORT := $(SOURCES)/../support/
LIBCO := $(abspath $(SOURCES)/../cothreads_later/libco)

all: $(BUILD_DIR)/loader.img

include $(SUPPORT)board.mk

TARGET := $(ARCH)-none-elf
CPU_aarch64 := cortex-a53
CPU_riscv64 := medany
CPU_x86_64 := nehalem
TIME_FLAGS_aarch64 := -mstrict-align -mtune=$(CPU_aarch64)
TIME_FLAGS_riscv64 := -mcmodel=$(CPU_riscv64) -march=rv64imac -mabi=lp64
TIME_FLAGS_x86_64 := -mtune=$(CPU_x86_64)
CFLAGS := -c $(TIME_FLAGS_$(ARCH)) -O2 -nostdlib -ffreestanding -fno-pic -fno-stack-protector -g -Wall -Werror \
    -I$(BOARD_DIR)/include
LIBS := -L$(BOARD_DIR)/lib -lmicrokit -Tmicrokit.ld

LIBMICROKITCO_PATH := $(MICROKIT_SDK)/libmicrokitco
OUTPUT := $(BUILD_DIR)/libmicrokitco

# One after the other: they share the folder.
.NOTPARALLEL:

$(OUTPUT)/bare_cothreads.o: PRIMITIVES := LIBCO_PATH=$(LIBCO)
$(OUTPUT)/%_cothreads.o: $(SOURCES)/options/%/libmicrokitco_opts.h FORCE
	$(MAKE) -f $(LIBMICROKITCO_PATH)/Makefile LIBMICROKITCO_PATH=$(LIBMICROKITCO_PATH) BUILD_DIR=$(BUILD_DIR) \
	    LIBMICROKITCO_OPT_PATH=$(<D) TARGET=$(TARGET) CPU=$(CPU_$(ARCH)) $(PRIMITIVES) $(LIBRARY_TOOLS)
	mv $(OUTPUT)/libmicrokitco_$(TARGET).o $@

# Programs with cothreads and the options that each is compiled with; the others need none.
WAITERS := wait_bare wait_fast wait_slow
OTHERS := server ppc_one_way ppc_round_trip notify last
IMAGES := $(patsubst %,$(BUILD_DIR)/%.elf,$(OTHERS) $(WAITERS))

$(patsubst %,$(BUILD_DIR)/%.o,$(WAITERS)): $(BUILD_DIR)/wait_%.o: $(SOURCES)/wait_%.c FORCE
	mkdir -p $(@D)
	$(COMPILER) $(CFLAGS) -I$(LIBMICROKITCO_PATH) -I$(SOURCES)/options/$* -I$(LIBCO) $< -o $@

$(patsubst %,$(BUILD_DIR)/%.o,$(OTHERS)): $(BUILD_DIR)/%.o: $(SOURCES)/%.c FORCE
	mkdir -p $(@D)
	$(COMPILER) $(CFLAGS) $< -o $@

$(patsubst %,$(BUILD_DIR)/%.elf,$(WAITERS)): $(BUILD_DIR)/wait_%.elf: $(BUILD_DIR)/wait_%.o $(OUTPUT)/%_cothreads.o
	$(LINKER) $^ $(LIBS) -o $@

$(patsubst %,$(BUILD_DIR)/%.elf,$(OTHERS)): $(BUILD_DIR)/%.elf: $(BUILD_DIR)/%.o
	$(LINKER) $^ $(LIBS) -o $@

$(BUILD_DIR)/loader.img: $(IMAGES) $(SOURCES)/compat_cothreads_bench.system
	$(MICROKIT_SDK)/bin/microkit $(SOURCES)/compat_cothreads_bench.system --search-path $(BUILD_DIR) \
	    --board $(MICROKIT_BOARD) --config $(MICROKIT_CONFIG) -o $@ -r $(BUILD_DIR)/report.txt

FORCE:
.SECONDARY:
.PHONY: all FORCE
