/* The tester's requests to the handler, as protected calls. */
#ifndef TESTS_INTERRUPTS_ORDERS_H
#define TESTS_INTERRUPTS_ORDERS_H

/* Labels. */
enum order {
    /* From now on, answer interrupts as word 0 says, an `enum answer`. */
    ORDER_ANSWER,
    /* Acknowledge the interrupt now. */
    ORDER_ACKNOWLEDGE,
};

/* The handler's reaction to an interrupt. */
enum answer {
    /* Deasserts the line and acknowledges. */
    ANSWER_CLEAR,
    /* The same, with the acknowledgement deferred to the next receive. */
    ANSWER_CLEAR_AND_DEFER,
    /* Nothing. */
    ANSWER_NOTHING,
    /* Acknowledges while the line is asserted; deasserts it the eleventh time. */
    ANSWER_TEN_TIMES,
    /* Always acknowledges while the line is asserted. */
    ANSWER_FOR_EVER,
};

#endif /* TESTS_INTERRUPTS_ORDERS_H */
