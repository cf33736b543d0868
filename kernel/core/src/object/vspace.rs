//! Address spaces, as programs can invoke them: cache maintenance for a range of addresses.
//!
//! Only AArch64 has these methods. The mappings of an address space are fixed at boot.

use core::ops::Range;

use limen_abi::Label;
use limen_abi::limits::{CACHE_CHUNK_BYTES, LARGE_PAGE_BYTES};

use crate::arena::{ThreadId, VspaceId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{CacheOperation, Machine};
use crate::message::Answer;

/// A checked request. One kernel entry maintains one chunk; the system call then restarts with the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request<Space> {
    space: Space,
    operation: CacheOperation,
    chunk: Range<u64>,
    end: u64,
}

impl<Space: Copy> Request<Space> {
    /// Decodes an invocation of `id`.
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
        let block_end = (start | (LARGE_PAGE_BYTES - 1)) + 1;
        if end > block_end {
            return Err(InvokeError::Range { min: start, max: block_end });
        }
        if operation == CacheOperation::Invalidate && kernel.machine.is_read_only(space, start) {
            return Err(InvokeError::IllegalOperation);
        }
        let chunk_end = (start | (CACHE_CHUNK_BYTES - 1)) + 1;
        Ok(Self { space, operation, chunk: start..end.min(chunk_end), end })
    }

    /// Performs a decoded request. `caller` is the current thread; its first message word is updated to where the
    /// restarted system call continues.
    pub(crate) fn perform<M: Machine<Space = Space>>(
        self,
        kernel: &mut Kernel<M>,
        caller: ThreadId,
    ) -> (Answer, Outcome) {
        let next = self.chunk.end;
        kernel.machine.maintain_cache(self.space, self.operation, self.chunk);
        if next < self.end {
            kernel.set_message_word(caller, 0, next);
            return (Answer::Again, Outcome::NOTHING);
        }
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
