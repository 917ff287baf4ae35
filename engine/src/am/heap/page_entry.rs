//! What a scan does when it enters a page (PostgreSQL's `heapgetpage`).

use super::output::Candidate;
use super::store::{corrupted_page, corrupted_tuple};
use super::tuple::PLAIN_DATA_OFFSET;
use super::visibility::{Standing, examine};
use crate::error::Result;
use crate::storage::{LineState, PAGE_SIZE, Page, Snapshot, Transactions, page_flags};

/// Notes the tuples of a page that the snapshot sees. Errors: XX001 for a page that cannot be right.
pub fn list_candidates(
    page: &mut Page,
    block: u32,
    snapshot: Snapshot,
    transactions: &Transactions,
    candidates: &mut Vec<Candidate>,
) -> Result<()> {
    if !page.is_sound() {
        return Err(corrupted_page(block));
    }
    if page.has(page_flags::ALL_VISIBLE) {
        list_all(page, block, candidates)
    } else {
        list_visible(page, block, snapshot, transactions, candidates)
    }
}

/// All normal line pointers. Two passes without a branch in them: the usual page has no others.
fn list_all(page: &Page, block: u32, candidates: &mut Vec<Candidate>) -> Result<()> {
    let (mut all_normal, mut all_within) = (true, true);
    for pointer in page.lines() {
        all_normal &= pointer.is_normal();
        all_within &= pointer.is_within_page();
    }
    if !all_within {
        return Err(corrupted_tuple(block));
    }
    let all = (1..).zip(page.lines());
    if all_normal {
        candidates.extend(all.map(|(line, pointer)| Candidate::new(line, pointer.offset())));
    } else {
        let normal = all.filter(|(_, pointer)| pointer.is_normal());
        candidates.extend(normal.map(|(line, pointer)| Candidate::new(line, pointer.offset())));
    }
    Ok(())
}

/// Each tuple examined.
fn list_visible(
    page: &mut Page,
    block: u32,
    snapshot: Snapshot,
    transactions: &Transactions,
    candidates: &mut Vec<Candidate>,
) -> Result<()> {
    let mut all_visible = true;
    for line in 1..=page.line_count() {
        let pointer = page.line(line);
        if !pointer.is_normal() {
            all_visible &= pointer.state() == LineState::Unused;
            continue;
        }
        let at = pointer.offset();
        if at + PLAIN_DATA_OFFSET > PAGE_SIZE {
            return Err(corrupted_tuple(block));
        }
        let standing = examine(page.bytes_mut(), at, transactions);
        all_visible &= standing == Standing::Live;
        if standing.is_visible(snapshot) {
            candidates.push(Candidate::new(line, at));
        }
    }
    if all_visible {
        page.set(page_flags::ALL_VISIBLE);
    }
    Ok(())
}
