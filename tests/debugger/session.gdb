# `./x test` loads the system first, as the script of `./x run --gdb` does.
set width 0
limen break right:visit
continue
# The left instance has executed the same addresses, and was not stopped.
echo right:\n
print name
backtrace
limen pd
limen pd left
echo left:\n
print name
print visits
backtrace
limen pd
limen pd tester
echo tester:\n
info registers pc
limen pd right
echo right again:\n
print number
delete
limen break tester:both_instances_continue_after_the_debugger
continue
info breakpoints
detach
