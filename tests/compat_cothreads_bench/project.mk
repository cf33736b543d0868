# Six benchmarks. The library of `wait_bare` switches by the project's own primitives.

LIBCO := $(abspath $(SOURCES)/../cothreads_later/libco)

SYSTEM := compat_cothreads_bench
PROGRAMS := server ppc_one_way ppc_round_trip notify wait_bare wait_fast wait_slow last
OPTIONS_wait_bare := bare
OPTIONS_wait_fast := fast
OPTIONS_wait_slow := slow
FLAGS_wait_bare := -I$(LIBCO)

include ../support/older_cothreads.mk

$(OUTPUT)/bare_cothreads.o: PRIMITIVES := LIBCO_PATH=$(LIBCO)
