# Builds a system of measuring programs: included by the Makefile of each measured path, which sets PROGRAMS.
#
#   QUICK=1      fewer samples
#   TRACE=1      as few as there can be, for a run in which every instruction is written down
#   FPU          who may use floating point: on (everybody), off (nobody), or mixed (all but WITHOUT_FPU)
#   WITHOUT_FPU  protection domains
#   SOURCES      other folders with sources
#
# `builds.txt` beside the Makefile has a line for each build that is measured: the variables that it is made with.

SOURCES += ../support
MORE_COMMON := samples.o
FPU ?= on
# What a system without floating point must do, all do, so that nothing but the unit is different.
GENERAL_REGISTERS_aarch64 := -mgeneral-regs-only
GENERAL_REGISTERS_x86_64 := -mgeneral-regs-only
COUNT := $(if $(TRACE),10 -DWARM_UP=10,$(if $(QUICK),100,1000))
MORE_FLAGS ?= -DSAMPLES=$(COUNT) -DFPU=$(FPU) $(GENERAL_REGISTERS_$(ARCH))
CHANGES_off := s/<protection_domain /&fpu="false" /
CHANGES_mixed := $(foreach name,$(WITHOUT_FPU),s/<protection_domain name="$(name)"/& fpu="false"/;)
MORE_ADDRESSES := $(MORE_ADDRESSES); $(CHANGES_$(FPU))

include ../../tests/support/system.mk
