//! The macro behind every table of this crate. It defines an enum, its numbers, C names and documentation in one
//! place.

/// Declares an enum whose variants carry a number, a C name and a sentence.
///
/// Beside the enum it defines `ALL`, the table from which headers and manuals are generated, and
/// `from_raw`, which refuses numbers that have no name.
macro_rules! named_numbers {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident: $Raw:ty {
            $( #[doc = $doc:literal] $Variant:ident = $value:literal => $c_name:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr($Raw)]
        pub enum $Name {
            $( #[doc = $doc] $Variant = $value, )+
        }

        impl $Name {
            /// Every value with its C name and its sentence, in numeric order of declaration.
            pub const ALL: &'static [(Self, &'static str, &'static str)] =
                &[ $( (Self::$Variant, $c_name, $doc), )+ ];

            /// The value with this number, or `None` if the number is undefined.
            #[must_use]
            #[inline]
            pub const fn from_raw(raw: $Raw) -> Option<Self> {
                match raw {
                    $( $value => Some(Self::$Variant), )+
                    _ => None,
                }
            }

            /// The number of this value.
            #[must_use]
            #[inline]
            pub const fn as_raw(self) -> $Raw {
                self as $Raw
            }
        }
    };
}

pub(crate) use named_numbers;
