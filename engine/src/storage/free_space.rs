//! Where the next row may go: a relation's free space map (PostgreSQL's `freespace.c`), a binary tree
//! of maxima over the pages' free bytes, so that recording and searching take logarithmic time.

/// Free bytes by block. Pages that were never recorded count as full.
#[derive(Clone, Debug, Default)]
pub struct FreeSpaceMap {
    /// Node 1 is the root, node `leaves + block` a page; each inner node is the maximum of its two.
    tree: Vec<u16>,
    leaves: usize,
}

impl FreeSpaceMap {
    /// Notes that the page has `free` bytes.
    pub fn record(&mut self, block: u32, free: usize) {
        let block = block as usize;
        if block >= self.leaves {
            if free == 0 {
                return;
            }
            self.grow(block + 1);
        }
        let mut node = self.leaves + block;
        self.tree[node] = free.min(usize::from(u16::MAX)) as u16;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }

    /// The first page with at least `needed` bytes.
    pub fn search(&self, needed: usize) -> Option<u32> {
        let has_room = |node: usize| {
            self.tree
                .get(node)
                .is_some_and(|&free| usize::from(free) >= needed)
        };
        if needed == 0 || !has_room(1) {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node = if has_room(2 * node) {
                2 * node
            } else {
                2 * node + 1
            };
        }
        Some((node - self.leaves) as u32)
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
        let leaves = blocks.next_power_of_two().max(16);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_page_with_room() {
        let mut map = FreeSpaceMap::default();
        assert_eq!(map.search(1), None);
        map.record(5, 100);
        map.record(3, 40);
        map.record(70, 8000);
        assert_eq!(map.search(30), Some(3));
        assert_eq!(map.search(41), Some(5));
        assert_eq!(map.search(101), Some(70));
        assert_eq!(map.search(8001), None);
        map.record(5, 10);
        assert_eq!(map.search(41), Some(70));
        map.truncate(70);
        assert_eq!(map.search(41), None);
        assert_eq!(map.search(40), Some(3));
    }
}
