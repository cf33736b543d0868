/* What becomes of an edge in the slot of another domain. */
#ifndef DOMAIN_INTERRUPTS_PULSE_H
#define DOMAIN_INTERRUPTS_PULSE_H

/* The controller remembers it also if the device is quiet again before its driver's slot. */
#define PULSES_ARE_KEPT 1

#endif /* DOMAIN_INTERRUPTS_PULSE_H */
