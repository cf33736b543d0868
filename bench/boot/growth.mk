# Boot of a larger system, for Makefiles that set
#
#   DOMAINS    protection domains, at least 3
#   PAGES      small pages of the first program's region; the row then has this parameter
#   CHANNELS   "all": a channel between every two of 63 protection domains

PROGRAMS := first printer idle
SOURCES := ../boot
NUMBER := $(if $(filter all,$(CHANNELS)),1953,1)
GROWS := $(if $(PAGES),pages=$(PAGES),domains=$(DOMAINS) channels=$(NUMBER))
MORE_FLAGS := -DSAMPLES=1 -DROW='"boot_growth $(GROWS)"'

include ../support/bench.mk

$(BUILD_DIR)/$(NAME).system: ../boot/growth.awk $(MAKEFILE_LIST) | $(BUILD_DIR)
	awk -v count=$(DOMAINS) -v channels=$(CHANNELS) -v pages=$(PAGES) -f $< | sed '$(ADDRESSES)' > $@
