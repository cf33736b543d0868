# The commands of "Five mistakes" in docs/debugging.md, for `./x test`. The impatient program runs when all others wait.
set width 0
limen break impatient:wait_until_clear
continue
limen threads
limen pd consumer
print *belt
limen pd impatient
kill
