//! Constant folding.

use super::planner::Planner;
use crate::bind::Expr;
use crate::catalog::OperatorRef;
use crate::error::Result;
use crate::value::Type;

impl Planner<'_> {
    pub fn fold(&self, expr: Expr) -> Result<Expr> {
        Ok(expr)
    }

    /// The arguments of a function in FROM; the call itself is not evaluated.
    pub fn prepare_arguments(&mut self, call: &mut Expr) -> Result<Expr> {
        let mut call =
            std::mem::replace(call, Expr::new(crate::bind::ExprKind::CaseValue, call.ty));
        let mut failed = Ok(());
        call.each_child_mut(|child| {
            let taken =
                std::mem::replace(child, Expr::new(crate::bind::ExprKind::CaseValue, child.ty));
            match self.prepare(taken) {
                Ok(done) => *child = done,
                Err(error) => failed = Err(error),
            }
        });
        failed.map(|()| call)
    }

    /// An operator by its name and operand types.
    pub fn find_operator(&self, name: &str, left: Type, right: Type) -> Option<OperatorRef> {
        self.catalog
            .operators()
            .iter()
            .find(|operator| {
                &*operator.name == name && operator.left == Some(left) && operator.right == right
            })
            .cloned()
    }
}
