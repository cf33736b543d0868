# Programs with other options each. `mixed` has the options of one program and the library of another. `later` is for the
# later interface, which only the library's folder says.

SYSTEM := compat_cothreads
PROGRAMS := three five mixed later
OPTIONS_three := three
OPTIONS_five := five
OPTIONS_mixed := five
OPTIONS_later := later
LIBRARY_mixed := three_cothreads.o
LIBRARY_later := libmicrokitco.a

include ../support/older_cothreads.mk

$(BUILD_DIR)/later.o $(OUTPUT)/libmicrokitco.a: PATH_OF_LIBRARY := $(LIBMICROKITCO_PATH)/later
$(OUTPUT)/libmicrokitco.a: $(SOURCES)/options/later/libmicrokitco_opts.h FORCE
	$(BUILD_LIBRARY)
