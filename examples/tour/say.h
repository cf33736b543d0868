/* Output of the tour's programs through the console, in every configuration. */
#ifndef TOUR_SAY_H
#define TOUR_SAY_H

/* Prints a line, with the program's name in front. */
void say(const char *sentence);

/* The same with a number in the middle. */
void say_number(const char *before, unsigned long number, const char *after);

/* Prints a line as it is. */
void say_plainly(const char *line);

#endif
