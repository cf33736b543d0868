//! x86_64: SSE2, which every processor of this kind has, in its legacy encoding: the upper parts of AVX registers stay as
//! they are. A calling convention gives all sixteen registers to a called function, on Linux at least.

super::assembly::routines!();
