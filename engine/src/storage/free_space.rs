//! Where the next row may go: a relation's free space map (PostgreSQL's `freespace.c`, `fsmpage.c`), a
//! binary tree of maxima over the pages' free space. Space counts in steps of 32 bytes and searches go
//! round from the last page found, as in PostgreSQL, so that rows of varying length end up where
//! PostgreSQL puts them.

/// `FSM_CAT_STEP`
const STEP: usize = 32;
/// `MaxFSMRequestSize`: a request of this size is only met by a page of the highest category.
const MAX_REQUEST: usize = super::MAX_ITEM_SIZE;
/// The leaves of the smallest tree, as many as those of PostgreSQL's.
const MIN_LEAVES: usize = 4096;

/// Free space by block. Pages that were never recorded count as full.
#[derive(Clone, Debug, Default)]
pub struct FreeSpaceMap {
    /// Node 1 is the root, node `leaves + block` a page; each inner node is the maximum of its two.
    tree: Vec<u8>,
    leaves: usize,
    /// Where the next search starts (`fp_next_slot`).
    next: usize,
}

impl FreeSpaceMap {
    /// Notes that the page has `free` bytes.
    pub fn record(&mut self, block: u32, free: usize) {
        let (block, category) = (block as usize, category_of_free(free));
        if block >= self.leaves {
            if category == 0 {
                return;
            }
            self.grow(block + 1);
        }
        let mut node = self.leaves + block;
        self.tree[node] = category;
        while node > 1 {
            node /= 2;
            let most = self.tree[2 * node].max(self.tree[2 * node + 1]);
            if self.tree[node] == most {
                break;
            }
            self.tree[node] = most;
        }
    }

    /// A page with at least `needed` bytes (`fsm_search_avail`): from where the last search ended, ever
    /// larger subtrees to the right, then the leftmost page of the subtree that has room.
    pub fn search(&mut self, needed: usize) -> Option<u32> {
        let least = category_of_request(needed);
        if self.tree.get(1).is_none_or(|&most| most < least) {
            return None;
        }
        let mut node = self.leaves
            + if self.next < self.leaves {
                self.next
            } else {
                0
            };
        while node > 1 && self.tree[node] < least {
            node += 1;
            // Past the last node of a level comes its first.
            if node.is_power_of_two() {
                node /= 2;
            }
            node /= 2;
        }
        while node < self.leaves {
            node = 2 * node + usize::from(self.tree[2 * node] < least);
        }
        let block = node - self.leaves;
        self.next = block + 1;
        Some(block as u32)
    }

    /// Lets the next search start at the first page: a vacuum encourages the use of low-numbered pages, so that
    /// a later one can truncate the relation (`fsm_vacuum_page`).
    pub fn start_over(&mut self) {
        self.next = 0;
    }

    /// Forgets the pages from `blocks` on.
    pub fn truncate(&mut self, blocks: u32) {
        let kept = blocks as usize;
        if kept < self.leaves {
            self.tree[self.leaves + kept..].fill(0);
            self.sum_up();
        }
    }

    fn grow(&mut self, blocks: usize) {
        let leaves = blocks.next_power_of_two().max(MIN_LEAVES);
        let mut tree = vec![0; 2 * leaves];
        tree[leaves..leaves + self.leaves]
            .copy_from_slice(self.tree.get(self.leaves..).unwrap_or(&[]));
        self.tree = tree;
        self.leaves = leaves;
        self.sum_up();
    }

    fn sum_up(&mut self) {
        for node in (1..self.leaves).rev() {
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }
}

/// `fsm_space_avail_to_cat`
fn category_of_free(free: usize) -> u8 {
    if free >= MAX_REQUEST {
        u8::MAX
    } else {
        (free / STEP).min(254) as u8
    }
}

/// `fsm_space_needed_to_cat`
fn category_of_request(needed: usize) -> u8 {
    needed.div_ceil(STEP).clamp(1, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_go_round() {
        let mut map = FreeSpaceMap::default();
        assert_eq!(map.search(1), None);
        map.record(3, 64);
        map.record(5, 100);
        map.record(70, 8000);
        assert_eq!(map.search(30), Some(3));
        assert_eq!(map.search(30), Some(5));
        assert_eq!(map.search(30), Some(70));
        assert_eq!(map.search(30), Some(3));
        assert_eq!(map.search(97), Some(70));
        assert_eq!(map.search(8160), None);
        map.record(5000, 8160);
        assert_eq!(map.search(8160), Some(5000));
        map.truncate(70);
        assert_eq!(map.search(97), None);
        assert_eq!(map.search(96), Some(5));
    }

    #[test]
    fn what_is_found_has_room_and_all_room_is_found() {
        let mut map = FreeSpaceMap::default();
        let free: Vec<usize> = (0..500).map(|block| block * 7919 % 300).collect();
        free.iter()
            .enumerate()
            .for_each(|(block, &free)| map.record(block as u32, free));
        let mut left: Vec<u32> = (0..500)
            .filter(|&block| free[block as usize] >= 224)
            .collect();
        while let Some(block) = map.search(200) {
            map.record(block, 0);
            left.retain(|&other| other != block);
            assert!(free[block as usize] >= 200);
        }
        assert!(left.is_empty());
    }
}
