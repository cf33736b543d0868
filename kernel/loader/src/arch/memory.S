
// The loader's memory: page tables and one page of stack.
.section .bss
    .balign PAGE_BYTES
tables:
    .skip   {TABLES_BYTES}
stack_end:
    .skip   PAGE_BYTES
stack_top:
