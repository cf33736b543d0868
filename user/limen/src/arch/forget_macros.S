// Programs may have macros with these names.
.purgem begin
.purgem stamp
.purgem end
.purgem crossing
.purgem looping
.purgem crossings
.purgem BARRIER
.purgem JUMP
.purgem READ_WHERE_THE_KERNEL_DOES
.purgem PAGE_FAULT
.purgem UNDEFINED
.purgem BREAKPOINT
.purgem SYSTEM_CALL
