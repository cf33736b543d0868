/* Four cothreads. */
#define LIBMICROKITCO_MAX_COTHREADS 4
