//! Reports of measurements.
