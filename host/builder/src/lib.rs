//! Images from descriptions.
