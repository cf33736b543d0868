/* One cothread. */
#define LIBMICROKITCO_MAX_COTHREADS 1
