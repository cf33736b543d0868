# Builds a system whose programs use the cothread library, each with the options in options/$(OPTIONS_program).

$(foreach variable,BUILD_DIR MICROKIT_SDK MICROKIT_BOARD MICROKIT_CONFIG,\
  $(if $(filter 1,$(words $($(variable)))),,$(error $(variable) must be given, as one word without spaces)))
TOOLCHAIN ?= clang
MICROKIT_TOOL ?= $(MICROKIT_SDK)/bin/microkit
BOARDS := $(MICROKIT_SDK)/board
BOARD_DIR := $(BOARDS)/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)
$(if $(wildcard $(MICROKIT_SDK)/bin/microkit),,$(error MICROKIT_SDK=$(MICROKIT_SDK) is not an SDK:\
  $(abspath $(MICROKIT_SDK))/bin/microkit does not exist; ./x sdk in Limen's sources builds one))
$(if $(wildcard $(BOARDS)/$(MICROKIT_BOARD)/),,$(error the SDK has no board '$(MICROKIT_BOARD)'; it has:\
  $(notdir $(wildcard $(BOARDS)/*))))
$(if $(wildcard $(BOARD_DIR)/),,$(error board '$(MICROKIT_BOARD)' has no configuration '$(MICROKIT_CONFIG)';\
  it has: $(notdir $(wildcard $(BOARDS)/$(MICROKIT_BOARD)/*))))
GEN_CONFIG := $(BOARD_DIR)/include/kernel/gen_config.h
ARCH := $(shell grep 'CONFIG_SEL4_ARCH  ' $(GEN_CONFIG) | cut -d' ' -f4)
SOFT_FLOAT := $(shell grep 'disabled: CONFIG_RISCV_EXT_D ' $(GEN_CONFIG))

# The library is source code, because each program compiles it with its own options.
LIBMICROKITCO_PATH ?= $(MICROKIT_SDK)/libmicrokitco
TARGET := $(ARCH)-none-elf
COTHREADS := libmicrokitco/libmicrokitco_$(TARGET).o

ifeq ($(TOOLCHAIN),clang)
CC := clang -target $(TARGET)
LD := ld.lld
COTHREADS_TOOLS := LLVM=1
else
CC := $(TOOLCHAIN)-gcc
LD := $(TOOLCHAIN)-ld
COTHREADS_TOOLS := LLVM= TOOLCHAIN=$(TOOLCHAIN)
endif

ARCH_FLAGS_aarch64 := -mstrict-align
ARCH_FLAGS_riscv64 := -march=rv64imafdc -mabi=$(if $(SOFT_FLOAT),lp64,lp64d) -mcmodel=medany
ARCH_FLAGS_x86_64 := -march=x86-64 -mtune=generic
CFLAGS = $(ARCH_FLAGS_$(ARCH)) -nostdlib -ffreestanding -g -O2 -Wall -Wextra -Werror -MMD -MP \
    -I$(BOARD_DIR)/include -I$(LIBMICROKITCO_PATH) $(addprefix -Ioptions/,$(OPTIONS_$*)) $(FLAGS_$*)
LDFLAGS := -L$(BOARD_DIR)/lib
LIBS := -lmicrokit -Tmicrokit.ld

IMAGES := $(addprefix $(BUILD_DIR)/,$(addsuffix .elf,$(PROGRAMS)))
HAS_OPTIONS := $(sort $(foreach program,$(PROGRAMS),$(OPTIONS_$(program))))

all: $(BUILD_DIR)/loader.img

$(BUILD_DIR)/loader.img $(BUILD_DIR)/report.txt &: $(SYSTEM).system $(IMAGES)
	$(MICROKIT_TOOL) $(SYSTEM).system --search-path $(BUILD_DIR) --board $(MICROKIT_BOARD) \
	    --config $(MICROKIT_CONFIG) -o $(BUILD_DIR)/loader.img -r $(BUILD_DIR)/report.txt

.SECONDEXPANSION:
$(BUILD_DIR)/%.elf: $(BUILD_DIR)/%.o $$(if $$(OPTIONS_$$*),$(BUILD_DIR)/$$(OPTIONS_$$*)/$(COTHREADS))
	$(LD) $(LDFLAGS) $^ $(LIBS) -o $@

$(BUILD_DIR)/%.o: %.c Makefile cothreads.mk | $(BUILD_DIR)
	$(CC) $(CFLAGS) -c $< -o $@

# The library's own Makefile tracks its dependencies, so it runs each time.
$(BUILD_DIR)/%/$(COTHREADS): FORCE | $(BUILD_DIR)
	mkdir -p $(BUILD_DIR)/$*
	$(MAKE) -s -f $(LIBMICROKITCO_PATH)/Makefile LIBMICROKITCO_PATH=$(LIBMICROKITCO_PATH) \
	    LIBMICROKITCO_OPT_PATH=$(CURDIR)/options/$* MICROKIT_SDK=$(MICROKIT_SDK) MICROKIT_BOARD=$(MICROKIT_BOARD) \
	    MICROKIT_CONFIG=$(MICROKIT_CONFIG) TARGET=$(TARGET) BUILD_DIR=$(abspath $(BUILD_DIR))/$* $(COTHREADS_TOOLS)

$(BUILD_DIR):
	mkdir -p $@

FORCE:
-include $(wildcard $(BUILD_DIR)/*.d)
.PHONY: all FORCE
.SECONDARY:
