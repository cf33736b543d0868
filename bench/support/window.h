/* The counted part of a run: a `counted.txt` makes the harness count kernel entries and changes of thread in it. */
#ifndef BENCH_WINDOW_H
#define BENCH_WINDOW_H

void bench_count_from(void);
void bench_count_to(void);

#endif /* BENCH_WINDOW_H */
