# Builds the cothread library for programs that use it: included after system.mk by the Makefile of such a system, with
# the options of each program in a folder of its own.
#
#   PARTS_reader := $(call cothreads_for,options/reader)     links it
#   $(eval $(call cothread_options,reader,options/reader))   compiles reader.c with the same options
#   LIBCO_PATH_options/reader := FOLDER                      has it switch by the primitives there
#
# Both are evaluated late, so the first may stand before the include of system.mk.

LIBMICROKITCO_PATH ?= $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../../user/libmicrokitco)
cothreads_for = $1/libmicrokitco/libmicrokitco_$(ARCH)-none-elf.o

define cothread_options
$$(BUILD_DIR)/$1.o: CFLAGS += -I$$(LIBMICROKITCO_PATH) -I$2
$$(BUILD_DIR)/$1.o: $2/libmicrokitco_opts.h $$(wildcard $$(LIBMICROKITCO_PATH)/*.h $$(LIBMICROKITCO_PATH)/*/*.h)
endef

# The library's Makefile tracks dependencies itself, so it runs each time.
$(BUILD_DIR)/%/libmicrokitco/libmicrokitco_$(ARCH)-none-elf.o: FORCE
	mkdir -p $(BUILD_DIR)/$*
	$(MAKE) -s -f $(LIBMICROKITCO_PATH)/Makefile LIBMICROKITCO_PATH=$(LIBMICROKITCO_PATH) \
	    LIBMICROKITCO_OPT_PATH=$(abspath $*) MICROKIT_SDK=$(MICROKIT_SDK) MICROKIT_BOARD=$(MICROKIT_BOARD) \
	    MICROKIT_CONFIG=$(MICROKIT_CONFIG) LIBCO_PATH=$(LIBCO_PATH_$*) TARGET=$(ARCH)-none-elf BUILD_DIR=$(abspath $(BUILD_DIR)/$*) \
	    $(if $(filter True,$(LLVM)),LLVM=1,LLVM= TOOLCHAIN=$(GCC))

FORCE:
.PHONY: FORCE
