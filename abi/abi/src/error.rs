//! Error codes: the label of the kernel's reply to an invocation.

use crate::named::named_numbers;

named_numbers! {
    /// Why an invocation failed. Delivered only to a Call; other sends drop it.
    pub enum ErrorCode: u64 {
        /// The invocation succeeded.
        NoError = 0 => "seL4_NoError",
        /// A scalar argument has an invalid value. MR0: argument index.
        InvalidArgument = 1 => "seL4_InvalidArgument",
        /// A capability is empty or of the wrong kind. MR0: 0 for the invoked one, 1.. for arguments.
        InvalidCapability = 2 => "seL4_InvalidCapability",
        /// The object has no such method, or its state does not allow it.
        IllegalOperation = 3 => "seL4_IllegalOperation",
        /// A value is outside its range. MR0: minimum, MR1: maximum.
        RangeError = 4 => "seL4_RangeError",
        /// An address is not aligned.
        AlignmentError = 5 => "seL4_AlignmentError",
        /// A capability lookup failed. MR0: 1 if it was the source, MR1..: lookup failure.
        FailedLookup = 6 => "seL4_FailedLookup",
        /// The message has fewer words or capabilities than the method needs.
        TruncatedMessage = 7 => "seL4_TruncatedMessage",
        /// The destination is occupied.
        DeleteFirst = 8 => "seL4_DeleteFirst",
        /// The object is still in use.
        RevokeFirst = 9 => "seL4_RevokeFirst",
        /// Not enough memory. MR0: bytes left.
        NotEnoughMemory = 10 => "seL4_NotEnoughMemory",
    }
}

named_numbers! {
    /// Why the lookup of a capability pointer failed.
    pub enum LookupFailure: u64 {
        /// The root of the capability space is invalid.
        InvalidRoot = 1 => "seL4_InvalidRoot",
        /// The slot is empty. Word: bits left.
        MissingCapability = 2 => "seL4_MissingCapability",
        /// The pointer ends inside a table. Words: bits left, bits found.
        DepthMismatch = 3 => "seL4_DepthMismatch",
        /// The guard of a table differs. Words: bits left, guard found, guard size.
        GuardMismatch = 4 => "seL4_GuardMismatch",
    }
}
