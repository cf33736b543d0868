# Builds a system of measuring programs for one type of number: included by the Makefile, which sets PROGRAMS.
#
#   BUILD=fp      programs compute with floating-point numbers whenever they run
#   BUILD=no_fp   the same with integers

BUILD ?= fp
NUMBER_fp := double
NUMBER_no_fp := seL4_Word
MORE_FLAGS = -DSAMPLES=$(COUNT) -DBUILD=$(BUILD) -DNUMBER=$(NUMBER_$(BUILD)) $(GENERAL_REGISTERS_$(ARCH))

include ../support/bench.mk

# Only these sources use floating point, not those shared with other systems.
ifeq ($(BUILD),fp)
$(PROGRAMS:%=$(BUILD_DIR)/%.o): CFLAGS := $(filter-out $(GENERAL_REGISTERS_$(ARCH)),$(CFLAGS))
endif
