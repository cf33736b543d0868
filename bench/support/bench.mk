# Builds a system of measuring programs: included by the Makefile of each measured path, which sets PROGRAMS.
#
#   QUICK=1      fewer samples
#   TRACE=1      the minimum of samples, for a run that traces every instruction
#   SIMULATED=1  for a simulated core, whose counter counts cycles: rows of first samples as well
#   FPU          protection domains that may use floating point: on (all), off (none), or mixed (all but WITHOUT_FPU)
#   WITHOUT_FPU  protection domains without floating point
#   SOURCES      other folders with sources
#
# `builds.txt` beside the Makefile has a line with the make variables of each measured build.

SOURCES += ../support
MORE_COMMON := samples.o
FPU ?= on
# All systems use the compiler flags of a system without floating point, so that builds differ only in access to the unit.
GENERAL_REGISTERS_aarch64 := -mgeneral-regs-only
GENERAL_REGISTERS_x86_64 := -mgeneral-regs-only
COUNT := $(if $(TRACE),10 -DWARM_UP=10,$(if $(QUICK),100,1000))
MORE_FLAGS ?= -DSAMPLES=$(COUNT) -DFPU=$(FPU) $(if $(SIMULATED),-DIN_CYCLES) $(GENERAL_REGISTERS_$(ARCH))
CHANGES_off := s/<protection_domain /&fpu="false" /
CHANGES_mixed := $(foreach name,$(WITHOUT_FPU),s/<protection_domain name="$(name)"/& fpu="false"/;)
MORE_ADDRESSES := $(MORE_ADDRESSES); $(CHANGES_$(FPU))

include ../../tests/support/system.mk
