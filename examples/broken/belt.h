/* The belt between producer and consumer. */
#ifndef BELT_H
#define BELT_H

struct belt {
    volatile int put;
    volatile int taken;
};

#define PARCELS 2

#endif
