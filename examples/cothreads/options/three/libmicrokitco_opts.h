/* Three cothreads. */
#define LIBMICROKITCO_MAX_COTHREADS 3
