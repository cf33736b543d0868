//! Address spaces, as programs may ask for something about them: maintaining the caches for a range of addresses.
//!
//! Only AArch64 has these methods. What an address space maps is decided at boot and never changes.

use core::ops::Range;

use limen_abi::Label;
use limen_abi::limits::{LARGE_PAGE_BYTES, PAGE_BYTES};

use crate::arena::VspaceId;
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{CacheOperation, Machine};
use crate::message::Answer;

/// A checked request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request<Space> {
    space: Space,
    operation: CacheOperation,
    addresses: Range<u64>,
}

impl<Space: Copy> Request<Space> {
    /// Looks at a message to the capability of `id`.
    pub(crate) fn decode<M: Machine<Space = Space>>(
        kernel: &Kernel<M>,
        id: VspaceId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        let operation = operation(arguments.label()).ok_or(InvokeError::IllegalOperation)?;
        let user_end = M::CACHED_USER_END.ok_or(InvokeError::IllegalOperation)?;
        let [start, end] = arguments.words()?;
        if end <= start {
            return Err(InvokeError::InvalidArgument { index: 1 });
        }
        let space = kernel.vspaces[id].filter(|_| end <= user_end).ok_or(InvokeError::IllegalOperation)?;
        // Bounds the time that one request takes.
        let block_end = (start | (LARGE_PAGE_BYTES - 1)) + 1;
        if end > block_end {
            return Err(InvokeError::Range { min: start, max: block_end });
        }
        // Forgetting what others have written is writing.
        let mut pages = (start & !(PAGE_BYTES - 1)..end).step_by(PAGE_BYTES as usize);
        if operation == CacheOperation::Invalidate
            && pages.any(|page| kernel.machine.is_read_only(space, page))
        {
            return Err(InvokeError::IllegalOperation);
        }
        Ok(Self { space, operation, addresses: start..end })
    }

    /// Does what was decoded.
    pub(crate) fn perform<M: Machine<Space = Space>>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        kernel.machine.maintain_cache(self.space, self.operation, self.addresses);
        (Answer::Empty, Outcome::NOTHING)
    }
}

fn operation(label: Option<Label>) -> Option<CacheOperation> {
    Some(match label? {
        Label::ArmVspaceCleanData => CacheOperation::Clean,
        Label::ArmVspaceInvalidateData => CacheOperation::Invalidate,
        Label::ArmVspaceCleanInvalidateData => CacheOperation::CleanInvalidate,
        Label::ArmVspaceUnifyInstruction => CacheOperation::Unify,
        _ => return None,
    })
}
