# The rules of a project that uses only the SDK's public interface: headers, library, linker script and tool.
#
# It takes the instruction set from the text of gen_config.h (in board.mk), calls the linker directly, links the library
# inside a group, and puts configuration into a finished program with objcopy.

ifeq ($(strip $(BUILD_DIR)),)
$(error BUILD_DIR must be specified)
endif
ifeq ($(strip $(MICROKIT_SDK)),)
$(error MICROKIT_SDK must be specified)
endif
ifeq ($(strip $(MICROKIT_BOARD)),)
$(error MICROKIT_BOARD must be specified)
endif
ifeq ($(strip $(MICROKIT_CONFIG)),)
$(error MICROKIT_CONFIG must be specified)
endif

MICROKIT_TOOL ?= $(MICROKIT_SDK)/bin/microkit
BOARD_DIR := $(MICROKIT_SDK)/board/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)
SUPPORT := $(SOURCES)/../support/
vpath %.c $(SOURCES) $(SUPPORT)
vpath %.system $(SOURCES)

IMAGE_FILE := $(BUILD_DIR)/loader.img
REPORT_FILE := $(BUILD_DIR)/report.txt

all: $(IMAGE_FILE)

include $(SUPPORT)board.mk

CFLAGS := $(ARCH_FLAGS) -nostdlib -ffreestanding -g -O3 -Wall -Wno-unused-function -Werror \
    -I$(BOARD_DIR)/include -I$(SUPPORT) -I$(SOURCES) -DSUITE_NAME='"$(notdir $(CURDIR))"' -DSUITE_TESTS=11ul
LDFLAGS := -L$(BOARD_DIR)/lib
LIBS := --start-group -lmicrokit -Tmicrokit.ld $(BUILD_DIR)/libutil.a --end-group

IMAGES := client.elf server.elf uart.elf
$(BUILD_DIR):
	mkdir -p $@

$(BUILD_DIR)/%.o: %.c $(MAKEFILE_LIST) | $(BUILD_DIR)
	$(COMPILER) -c $(CFLAGS) $< -o $@

$(BUILD_DIR)/libutil.a: $(addprefix $(BUILD_DIR)/,print.o text.o test.o memory.o util.o $(UART))
	$(ARCHIVER) rcs $@ $^

$(BUILD_DIR)/%.elf: $(BUILD_DIR)/%.o $(BUILD_DIR)/libutil.a
	$(LINKER) $(LDFLAGS) $< $(LIBS) -o $@

# The tool reads programs that have their configuration already.
$(BUILD_DIR)/configured: $(addprefix $(BUILD_DIR)/,$(IMAGES)) $(SOURCES)/client_config.txt
	$(OBJCOPY) --update-section .client_config=$(SOURCES)/client_config.txt $(BUILD_DIR)/client.elf
	touch $@

$(IMAGE_FILE) $(REPORT_FILE): $(BUILD_DIR)/configured $(BUILD_DIR)/compat.system
	$(MICROKIT_TOOL) $(BUILD_DIR)/compat.system --search-path $(BUILD_DIR) --board $(MICROKIT_BOARD) \
	    --config $(MICROKIT_CONFIG) -o $(IMAGE_FILE) -r $(REPORT_FILE)

.PHONY: all
