//! Calls of functions and aggregates (`parse_func.c`, `parse_agg.c`).

use std::rc::Rc;

use super::binder::{Binder, Place, is_schema};
use super::coerce::known;
use super::{AggregateCall, AggregateOrder, Expr, ExprKind, Notation, same, walk};
use crate::catalog::{Builtins, FunctionKind, FunctionRef, Origin, Resolution, TpchDecimals};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{Call, CallArgs};
use crate::value::{Base, Type};

/// An aggregate call as it was written, its arguments bound.
struct WrittenAggregate<'a> {
    args: Vec<Expr>,
    distinct: bool,
    order_by: Vec<AggregateOrder>,
    filter: Option<&'a crate::sql::ast::Expr>,
}

impl Binder<'_> {
    pub fn call(&mut self, call: &Call, at: Position, place: Place) -> Result<Expr> {
        let Call {
            name,
            args,
            distinct,
            order_by,
            within_group,
            filter,
            over,
        } = call;
        if over.is_some() {
            return Err(self.unsupported("a window function", at));
        }
        if within_group.is_some() {
            return Err(self.unsupported("an ordered-set aggregate", at));
        }
        let function_name = match &name.parts[..] {
            [function] => &function.text,
            [schema, function] if is_schema(&schema.text) => &function.text,
            _ => {
                let message = format!("schema \"{}\" does not exist", name.parts[0].text);
                return Err(self.error(sqlstate::UNDEFINED_SCHEMA, message, at));
            }
        };
        let (values, star) = match args {
            CallArgs::Star => (&[][..], true),
            CallArgs::List { args, variadic } => {
                if *variadic {
                    return Err(self.unsupported("VARIADIC in a call", at));
                }
                if let Some(named) = args.iter().find_map(|arg| arg.name.as_ref()) {
                    return Err(self.unsupported("a named argument", named.at));
                }
                (&args[..], false)
            }
        };
        let builtin_aggregate = Builtins::get()
            .functions(function_name)
            .iter()
            .any(|signature| signature.kind == FunctionKind::Aggregate);
        let inner = if builtin_aggregate {
            Place::Aggregate
        } else {
            place
        };
        let mut bound = Vec::with_capacity(values.len());
        for arg in values {
            bound.push(self.expr(&arg.value, inner)?);
        }
        let types: Vec<Type> = bound.iter().map(|arg| arg.ty).collect();
        let Some(function) = self.find_function(function_name, &types, at)? else {
            return self.cast_by_name(function_name, bound, at);
        };
        if function.kind == FunctionKind::Aggregate {
            if star && !function.args.is_empty() {
                let message =
                    format!("{name}(*) must be used to call a parameterless aggregate function");
                return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
            }
            if !star && values.is_empty() {
                let message =
                    format!("{name}(*) must be used to call a parameterless aggregate function");
                return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
            }
            let mut items = Vec::with_capacity(order_by.len());
            for item in order_by {
                let expr = known(self.expr(&item.expr, Place::Aggregate)?);
                let (descending, nulls_first) = self.sort_direction(item)?;
                items.push(AggregateOrder {
                    expr,
                    descending,
                    nulls_first,
                });
            }
            let written = WrittenAggregate {
                args: bound,
                distinct: *distinct,
                order_by: items,
                filter: filter.as_ref(),
            };
            return self.aggregate(function, written, at, place);
        }
        let misused = [
            (star, format!("{name}(*) specified")),
            (*distinct, "DISTINCT specified".to_string()),
            (!order_by.is_empty(), "ORDER BY specified".to_string()),
            (filter.is_some(), "FILTER specified".to_string()),
        ];
        if let Some((_, what)) = misused.iter().find(|(misused, _)| *misused) {
            let message = format!("{what}, but {name} is not an aggregate function");
            return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
        }
        let args = bound.into_iter().zip(&function.args);
        let args = args.map(|(arg, wanted)| self.as_argument(arg, *wanted));
        let args = args.collect::<Result<Vec<Expr>>>()?;
        let is_table = TpchDecimals::of_function(&function.name).is_some();
        if is_table && matches!(function.origin, Origin::Builtin) && place != Place::FunctionInFrom
        {
            return Err(self.unsupported(format!("{name} outside of FROM"), at));
        }
        if function.returns_set && !place.allows_sets() && place != Place::FunctionInFrom {
            let place = place.name();
            let message = format!("set-returning functions are not allowed in {place}");
            return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at));
        }
        self.function_call(function, Notation::Function, args, at)
    }

    /// `None` if the name is a type's and the call a cast.
    fn find_function(
        &self,
        name: &str,
        types: &[Type],
        at: Position,
    ) -> Result<Option<FunctionRef>> {
        let resolution = self.catalog.resolve_function(name, types);
        let shown = || {
            let types: Vec<String> = types.iter().map(|ty| ty.name()).collect();
            format!("{name}({})", types.join(", "))
        };
        match resolution {
            Resolution::Found(function) => Ok(Some(function)),
            Resolution::Undetermined => Err(self.undetermined(at)),
            Resolution::NoArrayOf(ty) => Err(self.no_array_of(ty, at)),
            Resolution::Foreign(ty) => Err(self.unsupported(format!("type {ty}"), at)),
            Resolution::NotFound if types.len() == 1 && type_named(name).is_some() => Ok(None),
            Resolution::NotFound => {
                let builtins = Builtins::get();
                if builtins.is_absent(name) && builtins.functions(name).is_empty() {
                    return Err(self.unsupported(format!("function {name}"), at));
                }
                let message = format!("function {} does not exist", shown());
                let hint = "No function matches the given name and argument types. You might need \
                            to add explicit type casts.";
                Err(self
                    .error(sqlstate::UNDEFINED_FUNCTION, message, at)
                    .with_hint(hint))
            }
            Resolution::Ambiguous => {
                let message = format!("function {} is not unique", shown());
                let hint = "Could not choose a best candidate function. You might need to add \
                            explicit type casts.";
                Err(self
                    .error(sqlstate::AMBIGUOUS_FUNCTION, message, at)
                    .with_hint(hint))
            }
        }
    }

    /// `int4(x)`, `text(x)`: a cast in the guise of a call (`FUNCDETAIL_COERCION`).
    fn cast_by_name(&self, name: &str, mut args: Vec<Expr>, at: Position) -> Result<Expr> {
        match (type_named(name), args.pop()) {
            (Some(ty), Some(arg)) => {
                let from = arg.ty;
                let cast = super::coerce::coerced(arg, ty, crate::catalog::Coercion::Explicit)?;
                cast.map(|cast| cast.at(self.at(at))).ok_or_else(|| {
                    let message = format!("function {name}({}) does not exist", from.name());
                    let hint = "No function matches the given name and argument types. You might \
                                need to add explicit type casts.";
                    self.error(sqlstate::UNDEFINED_FUNCTION, message, at)
                        .with_hint(hint)
                })
            }
            _ => Err(Error::internal("a cast of no argument")),
        }
    }

    /// A call with its arguments ready; a user's SQL function is inlined if that is allowed.
    pub fn function_call(
        &mut self,
        function: FunctionRef,
        notation: Notation,
        args: Vec<Expr>,
        at: Position,
    ) -> Result<Expr> {
        if let Origin::User(_) = function.origin {
            return self.sql_function_call(function, notation, args, at);
        }
        let ty = function.result;
        // DISTINCT and ORDER BY do not care, but `numeric(10,2)` does not survive a function.
        let kind = ExprKind::Call {
            function,
            notation,
            args,
        };
        Ok(kind.of(ty).at(self.at(at)))
    }

    fn aggregate(
        &mut self,
        function: FunctionRef,
        written: WrittenAggregate<'_>,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let WrittenAggregate {
            args,
            distinct,
            order_by,
            filter,
        } = written;
        if place == Place::Aggregate {
            let message = "aggregate function calls cannot be nested";
            return Err(self.error(sqlstate::GROUPING_ERROR, message, at));
        }
        if !place.allows_aggregates() {
            let message = format!("aggregate functions are not allowed in {}", place.name());
            return Err(self.error(sqlstate::GROUPING_ERROR, message, at));
        }
        let args: Vec<Expr> = args.into_iter().map(known).collect();
        if distinct
            && let Some(item) = order_by
                .iter()
                .find(|item| !args.iter().any(|arg| same::same(arg, &item.expr)))
        {
            let message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in \
                           argument list";
            let error = Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message);
            return Err(error.at(item.expr.position));
        }
        let args = args.into_iter().zip(&function.args);
        let args = args.map(|(arg, wanted)| self.as_argument(arg, *wanted));
        let args = args.collect::<Result<Vec<Expr>>>()?;
        let sorted_by = order_by.iter().map(|item| &item.expr);
        if let Some(set) = args
            .iter()
            .chain(sorted_by)
            .find(|arg| walk::returns_set(arg))
        {
            let message = "aggregate function calls cannot contain set-returning function calls";
            let error = Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message);
            return Err(error.at(set.position));
        }
        let filter = match filter {
            Some(filter) => Some(self.condition(filter, "FILTER", Place::Filter)?),
            None => None,
        };
        self.check_aggregate_level(&args, filter.as_ref(), at)?;
        let ty = function.result;
        let call = AggregateCall {
            function: Rc::clone(&function),
            args,
            distinct,
            order_by,
            filter,
        };
        Ok(ExprKind::Aggregate(Box::new(call)).of(ty).at(self.at(at)))
    }

    /// An aggregate of nothing but outer columns belongs to the outer query
    /// (`check_agg_arguments`), which is not supported.
    fn check_aggregate_level(
        &self,
        args: &[Expr],
        filter: Option<&Expr>,
        at: Position,
    ) -> Result<()> {
        let (mut own, mut outer) = (false, false);
        for expr in args.iter().chain(filter) {
            walk::each(expr, 0, &mut |part, depth| {
                if let ExprKind::Var(var) = part.kind {
                    own |= var.up == depth;
                    outer |= var.up > depth;
                }
            });
        }
        if outer && !own {
            return Err(self.unsupported("an aggregate that belongs to an outer query", at));
        }
        Ok(())
    }
}

/// A type whose own name (not one of its spellings) this is.
fn type_named(name: &str) -> Option<Type> {
    let base = Base::from_name(name)?;
    let own = base.typname() == name && !matches!(base, Base::Unknown | Base::Void);
    own.then_some(Type::scalar(base))
}
