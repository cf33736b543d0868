/* The fate of an edge in the slot of another domain. */
#ifndef DOMAIN_INTERRUPTS_PULSE_H
#define DOMAIN_INTERRUPTS_PULSE_H

/* The controller keeps it pending even if the device deasserts its line before the driver's slot. */
#define PULSES_ARE_KEPT 1

#endif /* DOMAIN_INTERRUPTS_PULSE_H */
