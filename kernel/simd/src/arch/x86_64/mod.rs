//! x86_64: SSE2, which every x86_64 processor has, in its legacy encoding: the upper parts of AVX registers do not
//! change. On Linux, the calling convention makes all sixteen registers caller-saved.

super::assembly::routines!();
