/* What the tester asks of the handler, in protected calls. */
#ifndef TESTS_INTERRUPTS_ORDERS_H
#define TESTS_INTERRUPTS_ORDERS_H

/* Labels. */
enum order {
    /* From now on, answer interrupts as word 0 says, an `enum answer`. */
    ORDER_ANSWER,
    /* Acknowledge the interrupt now. */
    ORDER_ACKNOWLEDGE,
};

/* What the handler does when it is told of an interrupt. */
enum answer {
    /* Makes the device quiet and acknowledges. */
    ANSWER_CLEAR,
    /* The same, but leaves the acknowledgement to the next receive. */
    ANSWER_CLEAR_AND_DEFER,
    /* Nothing. */
    ANSWER_NOTHING,
    /* Acknowledges while the device is active; makes it quiet the eleventh time. */
    ANSWER_TEN_TIMES,
    /* Acknowledges while the device is active, for ever. */
    ANSWER_FOR_EVER,
};

#endif /* TESTS_INTERRUPTS_ORDERS_H */
