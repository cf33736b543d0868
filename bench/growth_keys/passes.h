/* The branches, a function for each thousand. */
#ifndef GROWTH_KEYS_PASSES_H
#define GROWTH_KEYS_PASSES_H

#include <microkit.h>
#include <limen/static_key.h>

extern limen_static_key_t two;
extern limen_static_key_t ten;
/* The number of branches taken. */
extern seL4_Word taken;

void two_0(void);
void two_1(void);
void ten_0(void);
void ten_1(void);
void ten_2(void);
void ten_3(void);
void ten_4(void);
void ten_5(void);
void ten_6(void);
void ten_7(void);
void ten_8(void);
void ten_9(void);

#endif /* GROWTH_KEYS_PASSES_H */
