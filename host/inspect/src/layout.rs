//! The layout of the kernel's types and the place of its state, from the debugging information of its ELF file.

use std::collections::HashMap;
use std::rc::Rc;

use gimli::{
    AttributeValue, DebuggingInformationEntry, Dwarf, EndianRcSlice, LittleEndian, Operation, Reader as _,
    SectionId, Unit, UnitRef,
};
use object::elf::{PF_R, PT_LOAD};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Object, ObjectSection};

type Reader = EndianRcSlice<LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<'a, 'a, Reader>;

/// The static that holds the kernel's state, and the module that contains it.
const STATE: &str = "KERNEL";
/// The largest type. The kernel's state is some 150 KiB.
const MOST_BYTES: u64 = 1 << 24;
const POINTER_BYTES: u64 = 8;

/// A kernel file.
#[derive(Debug)]
pub struct Layout {
    types: HashMap<usize, Type>,
    /// Address and type of the kernel's state.
    state: (u64, usize),
    /// Read-only data: address and contents.
    constants: Vec<(u64, Vec<u8>)>,
    /// Address, physical address and bytes of each part, for loaders that only follow the file.
    segments: Vec<(u64, u64, u64)>,
}

/// A type, at its place in the debugging information.
#[derive(Debug, Default)]
struct Type {
    name: String,
    bytes: u64,
    members: Vec<Member>,
    /// Place of the discriminant, and the variants.
    discriminant: Option<Member>,
    variants: Vec<(Option<u64>, Member)>,
    /// Numbers and names of an enumeration.
    enumerators: Vec<(u64, String)>,
    /// The type of the elements or of the object that a pointer names, and the number of elements.
    element: Option<usize>,
    count: u64,
}

/// A member of a structure.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    offset: u64,
    of: usize,
}

/// A value of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    layout: &'a Layout,
    of: usize,
    bytes: &'a [u8],
}

impl Layout {
    /// Reads a kernel file.
    ///
    /// # Errors
    /// A sentence: it is no kernel, or has no debugging information.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file = ElfFile64::<object::LittleEndian>::parse(bytes)
            .map_err(|_| "the kernel is not a 64-bit ELF file".to_owned())?;
        let section = |id: SectionId| -> Result<Reader, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|section| section.data().ok()).unwrap_or(&[]);
            Ok(EndianRcSlice::new(Rc::from(data), LittleEndian))
        };
        let missing = || "the kernel file has no debugging information about the kernel's state".to_owned();
        let dwarf = Dwarf::load(section).map_err(|_: gimli::Error| missing())?;
        let mut collected = Collected::default();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            // What was read before damage stays usable.
            _ = collected.take(unit.unit_ref(&dwarf), &unit);
        }
        let state = collected.state.ok_or_else(missing)?;
        let (endian, parts) = (file.endian(), file.elf_program_headers());
        let loaded = parts.iter().filter(|part| part.p_type(endian) == PT_LOAD);
        let constants = loaded.clone().filter(|part| part.p_flags(endian) == PF_R);
        let constants = constants
            .filter_map(|part| Some((part.p_vaddr(endian), part.data(endian, bytes).ok()?.to_vec())));
        let segments =
            loaded.map(|part| (part.p_vaddr(endian), part.p_paddr(endian), part.p_memsz(endian))).collect();
        Ok(Self { types: collected.types, state, constants: constants.collect(), segments })
    }

    /// Address and size of the kernel's state.
    #[must_use]
    pub fn place(&self) -> (u64, u64) {
        let (address, of) = self.state;
        (address, self.bytes(of))
    }

    /// Read-only data: addresses and contents.
    #[must_use]
    pub fn constants(&self) -> &[(u64, Vec<u8>)] {
        &self.constants
    }

    /// Address, physical address and bytes of each part of the kernel, for loaders that only follow the file.
    #[must_use]
    pub fn segments(&self) -> &[(u64, u64, u64)] {
        &self.segments
    }

    /// The kernel's state in these bytes.
    ///
    /// # Errors
    /// A sentence: the type of the static is another one.
    pub fn state<'a>(&'a self, bytes: &'a [u8]) -> Result<Value<'a>, String> {
        // Within the cells that lend it out.
        Value { layout: self, of: self.state.1, bytes }.field("__0.value")
    }

    fn bytes(&self, of: usize) -> u64 {
        let Some(found) = self.types.get(&of) else { return 0 };
        let own = match (found.bytes, found.element) {
            // An array: its element may be an array as well, of a bounded depth because each is smaller.
            (0, Some(element)) if element != of => {
                let element = self.types.get(&element).map_or(0, |element| element.bytes);
                found.count.saturating_mul(element)
            }
            (bytes, _) => bytes,
        };
        if own > MOST_BYTES { 0 } else { own }
    }
}

impl<'a> Value<'a> {
    fn kind(&self) -> Option<&'a Type> {
        self.layout.types.get(&self.of)
    }

    fn part(&self, member: &Member) -> Option<Self> {
        let bytes = self.layout.bytes(member.of);
        let start = usize::try_from(member.offset).ok()?;
        let end = start.checked_add(usize::try_from(bytes).ok()?)?;
        Some(Self { of: member.of, bytes: self.bytes.get(start..end)?, ..*self })
    }

    /// A field of a structure, by its path: `processor.current`.
    ///
    /// # Errors
    /// A sentence: there is none.
    pub fn field(&self, path: &str) -> Result<Self, String> {
        path.split('.').try_fold(*self, |value, name| {
            let found = value.kind().and_then(|kind| kind.members.iter().find(|member| member.name == name));
            found.and_then(|member| value.part(member)).ok_or_else(|| {
                let of = value.kind().map_or("a value", |kind| &kind.name);
                format!("the kernel file's debugging information has no field '{name}' of {of}")
            })
        })
    }

    /// An unsigned number at a path. Wrappers of a number are numbers as well.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub fn number(&self, path: &str) -> Result<u64, String> {
        self.field(path).map(|value| value.as_number())
    }

    /// The value as a number; zero for more than eight bytes.
    #[must_use]
    pub fn as_number(&self) -> u64 {
        if self.bytes.len() > 8 {
            return 0;
        }
        self.bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// The elements of an array, or of a structure that wraps one in the field `items`.
    #[must_use]
    pub fn items(&self) -> Vec<Self> {
        let array = self.field("items").unwrap_or(*self);
        let Some(of) = array.kind().and_then(|kind| kind.element) else { return Vec::new() };
        let bytes = usize::try_from(self.layout.bytes(of)).unwrap_or(0);
        let chunk = |bytes| Self { of, bytes, ..*self };
        if bytes == 0 { Vec::new() } else { array.bytes.chunks_exact(bytes).map(chunk).collect() }
    }

    /// The name of an enumeration's variant, and its contents.
    #[must_use]
    pub fn variant(&self) -> Option<(&'a str, Self)> {
        let kind = self.kind()?;
        let number = match &kind.discriminant {
            Some(member) => Some(self.part(member)?.as_number()),
            None => None,
        };
        if kind.variants.is_empty() {
            let number = self.as_number();
            let (_, name) = kind.enumerators.iter().find(|(value, _)| *value == number)?;
            return Some((name, *self));
        }
        let exact = kind.variants.iter().find(|(value, _)| value.is_some() && *value == number);
        let (_, member) = exact.or_else(|| kind.variants.iter().find(|(value, _)| value.is_none()))?;
        Some((&member.name, self.part(member)?))
    }

    /// The address in a pointer, and the type of the object there.
    #[must_use]
    pub fn target(&self) -> Option<(u64, Target<'a>)> {
        let of = self.kind()?.element?;
        Some((self.as_number(), Target { layout: self.layout, of }))
    }
}

/// The type that a pointer points to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    layout: &'a Layout,
    of: usize,
}

impl<'a> Target<'a> {
    /// Its size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layout.bytes(self.of)
    }

    /// The object in these bytes.
    #[must_use]
    pub fn value(&self, bytes: &'a [u8]) -> Value<'a> {
        Value { layout: self.layout, of: self.of, bytes }
    }
}

#[derive(Default)]
struct Collected {
    types: HashMap<usize, Type>,
    state: Option<(u64, usize)>,
}

/// An entry that contains others.
#[derive(Clone, Copy)]
enum Parent {
    /// A type, by its place.
    Type(usize),
    /// The discriminant of this type.
    Part(usize),
    /// A variant of this type, with its discriminant's value.
    Variant(usize, Option<u64>),
}

impl Parent {
    fn owner(self) -> usize {
        match self {
            Self::Type(place) | Self::Part(place) | Self::Variant(place, _) => place,
        }
    }
}

impl Collected {
    /// Reads the types of a unit.
    fn take(&mut self, unit: UnitRef<'_, Reader>, own: &Unit<Reader>) -> Result<(), gimli::Error> {
        let mut entries = own.entries();
        let mut parents: Vec<(isize, Parent)> = Vec::new();
        let mut depth = 0;
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            while parents.last().is_some_and(|(of, _)| *of >= depth) {
                parents.pop();
            }
            let parent = parents.last().map(|(_, parent)| *parent);
            parents.push((depth, self.enter(unit, entry, parent)?));
        }
        Ok(())
    }

    /// Reads an entry; returns what its children belong to.
    fn enter(
        &mut self,
        unit: UnitRef<'_, Reader>,
        entry: &Entry<'_>,
        parent: Option<Parent>,
    ) -> Result<Parent, gimli::Error> {
        let number = |name| entry.attr_value(name).map(|value| value.and_then(|value| value.udata_value()));
        let place = place_of(unit.unit, entry.offset());
        let owner = parent.map_or(place, Parent::owner);
        match entry.tag() {
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_base_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_array_type => {
                let usual = if entry.tag() == gimli::DW_TAG_pointer_type { POINTER_BYTES } else { 0 };
                let bytes = number(gimli::DW_AT_byte_size)?.unwrap_or(usual);
                let (name, element) = (name(unit, entry)?, type_of(unit, entry)?);
                self.types.insert(place, Type { name, bytes, element, ..Type::default() });
            }
            gimli::DW_TAG_subrange_type => {
                let last = number(gimli::DW_AT_upper_bound)?.map(|last| last.saturating_add(1));
                let count = number(gimli::DW_AT_count)?.or(last).unwrap_or(0);
                self.change(owner, |array| array.count = count);
            }
            gimli::DW_TAG_enumerator => {
                let value = number(gimli::DW_AT_const_value)?.unwrap_or(0);
                let name = name(unit, entry)?;
                self.change(owner, |of| of.enumerators.push((value, name)));
            }
            gimli::DW_TAG_variant_part => return Ok(Parent::Part(owner)),
            gimli::DW_TAG_variant => return Ok(Parent::Variant(owner, number(gimli::DW_AT_discr_value)?)),
            gimli::DW_TAG_member => {
                let offset = number(gimli::DW_AT_data_member_location)?.unwrap_or(0);
                let of = type_of(unit, entry)?.unwrap_or(0);
                let member = Member { name: name(unit, entry)?, offset, of };
                self.change(owner, |of| match parent {
                    Some(Parent::Part(_)) => of.discriminant = Some(member),
                    Some(Parent::Variant(_, value)) => of.variants.push((value, member)),
                    _ => of.members.push(member),
                });
            }
            gimli::DW_TAG_variable if self.state.is_none() && name(unit, entry)? == STATE => {
                self.state = address_of(unit, entry)?.zip(type_of(unit, entry)?);
            }
            _ => {}
        }
        Ok(Parent::Type(place))
    }

    fn change(&mut self, place: usize, change: impl FnOnce(&mut Type)) {
        if let Some(of) = self.types.get_mut(&place) {
            change(of);
        }
    }
}

fn name(unit: UnitRef<'_, Reader>, entry: &Entry<'_>) -> Result<String, gimli::Error> {
    let Some(value) = entry.attr_value(gimli::DW_AT_name)? else { return Ok(String::new()) };
    Ok(unit.attr_string(value)?.to_string_lossy()?.chars().filter(|c| !c.is_control()).take(200).collect())
}

fn place_of(unit: &Unit<Reader>, offset: gimli::UnitOffset) -> usize {
    offset.to_debug_info_offset(&unit.header).map_or(0, |offset| offset.0)
}

fn type_of(unit: UnitRef<'_, Reader>, entry: &Entry<'_>) -> Result<Option<usize>, gimli::Error> {
    Ok(match entry.attr_value(gimli::DW_AT_type)? {
        Some(AttributeValue::UnitRef(offset)) => Some(place_of(unit.unit, offset)),
        Some(AttributeValue::DebugInfoRef(offset)) => Some(offset.0),
        _ => None,
    })
}

fn address_of(unit: UnitRef<'_, Reader>, entry: &Entry<'_>) -> Result<Option<u64>, gimli::Error> {
    let Some(place) = entry.attr_value(gimli::DW_AT_location)?.and_then(|value| value.exprloc_value()) else {
        return Ok(None);
    };
    let first = place.operations(unit.encoding()).next()?;
    Ok(match first {
        Some(Operation::Address { address }) => Some(address),
        Some(Operation::AddressIndex { index }) => Some(unit.address(index)?),
        _ => None,
    })
}
