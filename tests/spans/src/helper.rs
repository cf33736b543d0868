//! Begins and ends spans that `main.rs` ends and begins.

/// Begins the inner span, and sets the counter.
pub(crate) fn begin_inner(round: u64) {
    limen::trace_begin!("inner", round);
    limen::trace_counter!("items", 10 * round + 1);
}

/// Ends the outer span.
pub(crate) fn end_outer(round: u64) {
    limen::trace_end!("outer", round);
}
