# Builds a system of measuring programs: included by the Makefile of each measured path, which sets PROGRAMS.
#
#   QUICK=1   fewer samples
#   SOURCES   other folders with sources

SOURCES += ../support
MORE_COMMON := samples.o
MORE_FLAGS ?= -DSAMPLES=$(if $(QUICK),100,1000)

include ../../tests/support/system.mk
