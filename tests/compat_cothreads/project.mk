# The rules of such a project: the cothread library is built several times in one folder, with other options each time, and
# its object is moved away. The program `later` is for the later interface, which only the library's folder says.

ifeq ($(strip $(BUILD_DIR)),)
$(error BUILD_DIR must be specified)
endif
ifeq ($(strip $(MICROKIT_SDK)),)
$(error MICROKIT_SDK must be specified)
endif

BOARD_DIR := $(MICROKIT_SDK)/board/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)
SUPPORT := $(SOURCES)/../support/

all: $(BUILD_DIR)/loader.img

include $(SUPPORT)board.mk

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
LATER_PATH := $(LIBMICROKITCO_PATH)/later
OUTPUT := $(BUILD_DIR)/libmicrokitco

# One after the other: they share the folder.
.NOTPARALLEL:

$(OUTPUT)/%_cothreads.o: $(SOURCES)/options/%/libmicrokitco_opts.h FORCE
	$(MAKE) -f $(LIBMICROKITCO_PATH)/Makefile LIBMICROKITCO_PATH=$(LIBMICROKITCO_PATH) BUILD_DIR=$(BUILD_DIR) \
	    LIBMICROKITCO_OPT_PATH=$(<D) TARGET=$(TARGET) CPU=$(CPU_$(ARCH)) $(LIBRARY_TOOLS)
	mv $(OUTPUT)/libmicrokitco_$(TARGET).o $@

$(OUTPUT)/libmicrokitco.a: $(SOURCES)/options/later/libmicrokitco_opts.h FORCE
	$(MAKE) -f $(LATER_PATH)/Makefile LIBMICROKITCO_PATH=$(LATER_PATH) BUILD_DIR=$(BUILD_DIR) \
	    LIBMICROKITCO_OPT_PATH=$(<D) TARGET=$(TARGET) CPU=$(CPU_$(ARCH)) $(LIBRARY_TOOLS)

# Programs and the options that each is compiled with.
OPTIONS_three := three
OPTIONS_five := five
OPTIONS_mixed := five
OPTIONS_later := later
$(BUILD_DIR)/later.o: PATH_OF_LIBRARY := $(LATER_PATH)
$(BUILD_DIR)/%.o: PATH_OF_LIBRARY ?= $(LIBMICROKITCO_PATH)
$(BUILD_DIR)/%.o: $(SOURCES)/%.c FORCE
	mkdir -p $(@D)
	$(COMPILER) $(CFLAGS) -I$(PATH_OF_LIBRARY) -I$(SOURCES)/options/$(OPTIONS_$*) $< -o $@

$(BUILD_DIR)/three.elf: $(BUILD_DIR)/three.o $(OUTPUT)/three_cothreads.o
$(BUILD_DIR)/five.elf: $(BUILD_DIR)/five.o $(OUTPUT)/five_cothreads.o
$(BUILD_DIR)/mixed.elf: $(BUILD_DIR)/mixed.o $(OUTPUT)/three_cothreads.o
$(BUILD_DIR)/later.elf: $(BUILD_DIR)/later.o $(OUTPUT)/libmicrokitco.a
IMAGES := $(addprefix $(BUILD_DIR)/,three.elf five.elf mixed.elf later.elf)
$(IMAGES):
	$(LINKER) $^ $(LIBS) -o $@

$(BUILD_DIR)/loader.img: $(IMAGES) $(SOURCES)/compat_cothreads.system
	$(MICROKIT_SDK)/bin/microkit $(SOURCES)/compat_cothreads.system --search-path $(BUILD_DIR) \
	    --board $(MICROKIT_BOARD) --config $(MICROKIT_CONFIG) -o $@ -r $(BUILD_DIR)/report.txt

FORCE:
.SECONDARY:
.PHONY: all FORCE
