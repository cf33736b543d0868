
// The loader's own memory: page tables, and a page of stack.
.section .bss
    .balign PAGE_BYTES
tables:
    .skip   {TABLES_BYTES}
    .skip   PAGE_BYTES
stack_top:
