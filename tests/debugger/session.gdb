# `./x test` loads the system first, as the script of `./x run --gdb` does.
set width 0

# The left instance executes the same addresses before the right one, and must not stop.
limen break right:visit
continue
echo right:
print name
backtrace
limen pd

# A program that waits, and one that has not started.
limen pd left
echo left:
print name
echo left visits:
print visits
backtrace
limen pd tester
echo tester:
output/x $pc
echo \n

# Back on the machine.
limen pd right
echo right again:
print number
limen threads
limen objects
limen keys
limen backtrace all
limen backtrace left

# As with a probe that reads memory only as the processor sees it: the address space, or the code, tells the program.
python SYSTEM.machine.reads_physical = False
delete
limen break tester:both_instances_continue_after_the_debugger
continue
backtrace 1
python
try:
    gdb.execute("limen threads")
except gdb.error as error:
    print("refused:", error)
end

# Mistakes.
python
for line in ["limen pd nobody", "limen break right:nothing", "limen break visit", "limen system /", "limen backtrace"]:
    try:
        gdb.execute(line)
    except gdb.error as error:
        print(f"{line}: {error}")
end
detach
