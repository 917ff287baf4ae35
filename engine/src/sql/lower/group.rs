//! GROUP BY (`group_clause` in `gram.y`).

use crate::error::Result;
use crate::sql::ast::GroupItem;
use crate::sql::reader::Reader;
use sqlparser::ast as sp;

impl Reader {
    /// The items, and whether DISTINCT stands before them.
    #[inline(never)]
    pub(super) fn lower_group_by(
        &mut self,
        group_by: sp::GroupByExpr,
    ) -> Result<(Vec<GroupItem>, bool)> {
        let items = match group_by {
            sp::GroupByExpr::Expressions(items, _) if items.is_empty() => {
                return Ok((Vec::new(), false));
            }
            sp::GroupByExpr::Expressions(items, _) => items,
            sp::GroupByExpr::All(_) => {
                self.expect_words(&["group", "by", "all"])?;
                return self.unexpected();
            }
        };
        self.expect_words(&["group", "by"])?;
        let distinct = self.eat_word("distinct");
        if !distinct {
            self.eat_word("all");
        }
        let items = self.lower_list(items, Self::lower_group_item)?;
        Ok((items, distinct))
    }

    #[inline(never)]
    fn lower_group_item(&mut self, item: sp::Expr) -> Result<GroupItem> {
        let at = self.at();
        match item {
            sp::Expr::Tuple(fields) if fields.is_empty() && self.is_char(b'(') => {
                self.expect_char(b'(')?;
                self.expect_char(b')')?;
                Ok(GroupItem::Empty(at))
            }
            sp::Expr::Rollup(_) => {
                self.expect_word("rollup")?;
                self.skip_parentheses()?;
                Ok(GroupItem::Rollup(at))
            }
            sp::Expr::Cube(_) => {
                self.expect_word("cube")?;
                self.skip_parentheses()?;
                Ok(GroupItem::Cube(at))
            }
            sp::Expr::GroupingSets(_) => {
                self.expect_words(&["grouping", "sets"])?;
                self.skip_parentheses()?;
                Ok(GroupItem::GroupingSets(at))
            }
            item => Ok(GroupItem::Expr(self.lower_expr(item)?)),
        }
    }
}
