# Boot of a larger system: included by Makefiles that set
#
#   DOMAINS    protection domains, at least 3
#   PAGES      small pages of a region that the first program has; the row is by them then
#   CHANNELS   each of 63 protection domains has one to every other, if this is "all"

PROGRAMS := first printer idle
SOURCES := ../boot
NUMBER := $(if $(filter all,$(CHANNELS)),1953,1)
GROWS := $(if $(PAGES),pages=$(PAGES),domains=$(DOMAINS) channels=$(NUMBER))
MORE_FLAGS := -DSAMPLES=1 -DROW='"boot_growth $(GROWS)"'

include ../support/bench.mk

$(BUILD_DIR)/$(NAME).system: ../boot/growth.awk $(MAKEFILE_LIST) | $(BUILD_DIR)
	awk -v count=$(DOMAINS) -v channels=$(CHANNELS) -v pages=$(PAGES) -f $< | sed '$(ADDRESSES)' > $@
