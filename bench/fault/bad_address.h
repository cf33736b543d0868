/* An unmapped address. */
#ifndef BENCH_FAULT_BAD_ADDRESS_H
#define BENCH_FAULT_BAD_ADDRESS_H

#define BAD_ADDRESS 0x5000000ul

#endif /* BENCH_FAULT_BAD_ADDRESS_H */
