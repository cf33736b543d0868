//! The authority relation with names instead of indices.

use limen_sdf::Span;
use serde::Serialize;

use crate::authority::{self, Kind, Party, Reach};
use crate::build::Built;

/// A row of the authority relation.
#[derive(Clone, Debug, Serialize)]
pub struct AuthorityRow {
    /// Its kind.
    pub kind: Kind,
    /// Parties that have the authority.
    pub by: Vec<String>,
    /// Parties that each of them can affect; `None` for every other program.
    pub on: Option<Vec<String>>,
    /// The effect.
    pub reason: String,
    /// The elements of the description that allow it.
    pub at: Vec<String>,
}

/// The programs of a processor and scheduling domain by priority.
#[derive(Clone, Debug, Serialize)]
pub struct PriorityOrder {
    /// The processor, if the system has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u8>,
    /// The scheduling domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Descending by priority.
    pub levels: Vec<PriorityLevel>,
}

/// The programs with one priority.
#[derive(Clone, Debug, Serialize)]
pub struct PriorityLevel {
    /// The priority.
    pub priority: u64,
    /// Its programs.
    pub programs: Vec<String>,
}

pub(super) fn rows(built: &Built) -> Vec<AuthorityRow> {
    let rows = authority::authority(built).into_iter().map(|row| AuthorityRow {
        kind: row.kind,
        by: names(built, &row.by),
        on: match &row.on {
            Reach::Parties(on) => Some(names(built, on)),
            Reach::Everyone => None,
        },
        reason: row.reason,
        at: row.at.iter().map(Span::to_string).collect(),
    });
    rows.collect()
}

pub(super) fn priorities(built: &Built) -> Vec<PriorityOrder> {
    let domains = built.parts.system.domains.as_ref();
    let is_alone = built.parts.board.processors(&built.parts.config) == 1;
    let orders = authority::delays(built).into_iter().map(|order| PriorityOrder {
        cpu: (!is_alone).then_some(order.cpu),
        domain: domains.map(|domains| domains.name_of(order.domain).to_owned()),
        levels: order.levels.iter().map(|(priority, parties)| level(built, *priority, parties)).collect(),
    });
    orders.collect()
}

fn level(built: &Built, priority: u64, parties: &[Party]) -> PriorityLevel {
    PriorityLevel { priority, programs: names(built, parties) }
}

fn names(built: &Built, parties: &[Party]) -> Vec<String> {
    let name = |party: &Party| match party {
        Party::Program(index) => built.parts.system.protection_domains[*index].name.clone(),
        Party::Monitor => "monitor".to_owned(),
        Party::Hardware(source) => source.clone(),
    };
    parties.iter().map(name).collect()
}
