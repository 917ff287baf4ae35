//! CREATE and DROP of functions and operators (`functioncmds.c`, `operatorcmds.c`).

use std::rc::Rc;

use super::Statement;
use super::binder::{Binder, is_schema};
use crate::catalog::{
    FunctionFacts, FunctionKind, FunctionRef, OperatorFacts, Origin, SqlBody, Volatility,
};
use crate::error::{Error, Result, sqlstate};
use crate::sql::ast::{self, FunctionBody, OperatorOptionValue};
use crate::value::Type;

/// PostgreSQL's selectivity estimators, which RESTRICT and JOIN may name; they guide no plan here
/// and change no answer.
const ESTIMATORS: &[&str] = &[
    "eqsel",
    "neqsel",
    "scalarltsel",
    "scalarlesel",
    "scalargtsel",
    "scalargesel",
    "eqjoinsel",
    "neqjoinsel",
    "scalarltjoinsel",
    "scalarlejoinsel",
    "scalargtjoinsel",
    "scalargejoinsel",
    "contsel",
    "contjoinsel",
    "areasel",
    "areajoinsel",
    "positionsel",
    "positionjoinsel",
    "likesel",
    "likejoinsel",
    "matchingsel",
    "matchingjoinsel",
];

impl Binder<'_> {
    pub fn create_function(&mut self, create: &ast::CreateFunction) -> Result<Statement> {
        let ast::CreateFunction {
            name,
            or_replace,
            parameters,
            returns,
            returns_table,
            language,
            volatility,
            strict,
            leakproof,
            body,
            others,
        } = create;
        if let Some((feature, at)) = others.first() {
            return Err(self.unsupported(feature, *at));
        }
        if let Some(at) = returns_table {
            return Err(self.unsupported("RETURNS TABLE", *at));
        }
        let definition_error =
            |message: &str| Error::new(sqlstate::INVALID_FUNCTION_DEFINITION, message);
        let Some(returns) = returns else {
            return Err(definition_error("function result type must be specified"));
        };
        if returns.set_of {
            return Err(self.unsupported("RETURNS SETOF", returns.name.at()));
        }
        let (result, _) = self.resolve_type(returns)?;
        if result == Type::VOID {
            return Err(self.unsupported("RETURNS void", returns.name.at()));
        }
        let mut args = Vec::with_capacity(parameters.len());
        let mut names: Vec<Option<String>> = Vec::with_capacity(parameters.len());
        for ast::Parameter {
            name,
            ty,
            unsupported,
        } in parameters
        {
            if let Some((feature, at)) = unsupported {
                return Err(self.unsupported(feature, *at));
            }
            args.push(self.resolve_type(ty)?.0);
            let name = name.as_ref().map(|name| name.text.clone());
            if let Some(name) = &name
                && names.iter().flatten().any(|other| other == name)
            {
                let message = format!("parameter name \"{name}\" used more than once");
                return Err(definition_error(&message));
            }
            names.push(name);
        }
        let is_return = matches!(body, Some(FunctionBody::Return { .. }));
        match language {
            Some(language) if language.text.eq_ignore_ascii_case("sql") => {}
            None if is_return => {}
            None => return Err(definition_error("no language specified")),
            Some(language) => {
                let feature = format!("LANGUAGE {}", language.text);
                return Err(self.unsupported(feature, language.at));
            }
        }
        let (source, at) = match body {
            Some(FunctionBody::Text { text, at }) => (text.clone(), *at),
            Some(FunctionBody::Return { text, at }) => (format!("SELECT {text}"), *at),
            None => return Err(definition_error("no function body specified")),
        };
        let volatility = match volatility {
            Some(ast::Volatility::Immutable) => Volatility::Immutable,
            Some(ast::Volatility::Stable) => Volatility::Stable,
            Some(ast::Volatility::Volatile) | None => Volatility::Volatile,
        };
        let function = FunctionFacts {
            name: Rc::from(self.new_name(name)?),
            args,
            result,
            kind: FunctionKind::Plain,
            strict: strict.unwrap_or(false),
            volatility,
            leakproof: leakproof.unwrap_or(false),
            returns_set: false,
            origin: Origin::User(Rc::new(SqlBody {
                source,
                argument_names: names,
            })),
        };
        // The body must make sense now, though it is bound anew at each call.
        self.function_body(&function)
            .map_err(|error| error.at(self.at(at)))?;
        if let Some(existing) = self.own_function(&function.name, &function.args) {
            if !or_replace {
                let message = format!(
                    "function \"{}\" already exists with same argument types",
                    function.name
                );
                return Err(Error::new(sqlstate::DUPLICATE_FUNCTION, message));
            }
            if existing.result != function.result {
                let shown = signature(&function.name, &function.args);
                let message = "cannot change return type of existing function";
                let error = definition_error(message);
                return Err(error.with_hint(format!("Use DROP FUNCTION {shown} first.")));
            }
        }
        Ok(Statement::CreateFunction {
            or_replace: *or_replace,
            function,
        })
    }

    fn own_function(&self, name: &str, args: &[Type]) -> Option<&FunctionRef> {
        self.catalog
            .functions()
            .iter()
            .find(|f| &*f.name == name && f.args == args)
    }

    /// A user's or a built-in function with exactly these arguments.
    fn exact_function(&self, name: &ast::QualifiedName, args: &[Type]) -> Result<FunctionRef> {
        let found = match self.object_name(name) {
            Some(object) => self.catalog.resolve_function(object, args).found(),
            None => None,
        };
        found
            .filter(|function| function.args == args)
            .ok_or_else(|| {
                let message = format!(
                    "function {} does not exist",
                    signature(&name.to_string(), args)
                );
                Error::new(sqlstate::UNDEFINED_FUNCTION, message)
            })
    }

    pub fn create_operator(&mut self, create: &ast::CreateOperator) -> Result<Statement> {
        let ast::CreateOperator { name, at, options } = create;
        let mut function_name = None;
        let (mut left, mut right) = (None, None);
        let (mut commutator, mut negator) = (None, None);
        for ast::OperatorOption {
            name: option,
            value,
        } in options
        {
            match (option.text.as_str(), value) {
                ("function" | "procedure", OperatorOptionValue::Type(function)) => {
                    function_name = Some(function.name.clone());
                }
                ("leftarg", OperatorOptionValue::Type(ty)) => {
                    left = Some(self.resolve_type(ty)?.0);
                }
                ("rightarg", OperatorOptionValue::Type(ty)) => {
                    right = Some(self.resolve_type(ty)?.0);
                }
                ("commutator", OperatorOptionValue::Operator(other)) => {
                    commutator = Some(Rc::from(other.symbol.as_str()));
                }
                ("negator", OperatorOptionValue::Operator(other)) => {
                    negator = Some(Rc::from(other.symbol.as_str()));
                }
                ("restrict" | "join", OperatorOptionValue::Type(estimator)) => {
                    if !ESTIMATORS.contains(&estimator.name.object()) {
                        let message = format!("function {} does not exist", estimator.name);
                        let at = estimator.name.at();
                        return Err(self.error(sqlstate::UNDEFINED_FUNCTION, message, at));
                    }
                }
                // They only allow plans, and change no answer.
                ("hashes" | "merges", OperatorOptionValue::None) => {}
                (other, _) => {
                    let message = format!("operator attribute \"{other}\" is not supported");
                    return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, option.at));
                }
            }
        }
        let invalid = |message: &str| {
            Error::new(sqlstate::INVALID_FUNCTION_DEFINITION, message).at(self.at(*at))
        };
        let Some(function_name) = function_name else {
            return Err(invalid("operator function must be specified"));
        };
        let Some(right) = right else {
            let message = match left {
                None => "operator argument types must be specified",
                Some(_) => "operator right argument type must be specified",
            };
            let error = invalid(message);
            return Err(match left {
                None => error,
                Some(_) => error.with_detail("Postfix operators are not supported."),
            });
        };
        let args: Vec<Type> = left.into_iter().chain([right]).collect();
        let function = self.exact_function(&function_name, &args)?;
        if let Some(schema) = &name.schema
            && schema.text != "public"
        {
            let message = format!("schema \"{}\" does not exist", schema.text);
            return Err(self.error(sqlstate::UNDEFINED_SCHEMA, message, schema.at));
        }
        let exists = self.catalog.operators().iter().any(|operator| {
            *operator.name == *name.symbol && operator.left == left && operator.right == right
        });
        if exists {
            let message = format!("operator {} already exists", name.symbol);
            return Err(Error::new(sqlstate::DUPLICATE_FUNCTION, message));
        }
        Ok(Statement::CreateOperator(OperatorFacts {
            name: Rc::from(name.symbol.as_str()),
            left,
            right,
            function,
            commutator,
            negator,
        }))
    }

    pub fn drop_functions(&mut self, drop: &ast::DropFunctions) -> Result<Statement> {
        let ast::DropFunctions {
            functions,
            if_exists,
            cascade: _,
        } = drop;
        let mut dropped: Vec<FunctionFacts> = Vec::with_capacity(functions.len());
        for (name, types) in functions {
            let object = self.object_name(name);
            let mut all = self.catalog.functions().iter();
            let (found, shown) = match types {
                Some(types) => {
                    let args = types.iter().map(|ty| Ok(self.resolve_type(ty)?.0));
                    let args: Vec<Type> = args.collect::<Result<_>>()?;
                    let shown = format!(
                        "function {} does not exist",
                        signature(&name.to_string(), &args)
                    );
                    (
                        all.find(|f| Some(&*f.name) == object && f.args == args),
                        shown,
                    )
                }
                None => {
                    let named: Vec<_> = all.filter(|f| Some(&*f.name) == object).collect();
                    if named.len() > 1 {
                        let message = format!("function name \"{name}\" is not unique");
                        let error = Error::new(sqlstate::AMBIGUOUS_FUNCTION, message);
                        return Err(error.with_hint(
                            "Specify the argument list to select the function unambiguously.",
                        ));
                    }
                    let shown = format!("could not find a function named \"{name}\"");
                    (named.first().copied(), shown)
                }
            };
            match found {
                Some(function) => {
                    self.not_in_use(function)?;
                    dropped.push((**function).clone());
                }
                None if *if_exists => {}
                None => return Err(Error::new(sqlstate::UNDEFINED_FUNCTION, shown)),
            }
        }
        Ok(Statement::DropFunction { functions: dropped })
    }

    /// A function that an operator runs stays (`performDeletion` with RESTRICT).
    fn not_in_use(&self, function: &FunctionRef) -> Result<()> {
        let mut operators = self.catalog.operators().iter();
        let user = operators.find(|operator| {
            operator.function.name == function.name && operator.function.args == function.args
        });
        let Some(operator) = user else { return Ok(()) };
        let shown = signature(&function.name, &function.args).replace(", ", ",");
        let message = format!("cannot drop function {shown} because other objects depend on it");
        let left = operator.left.map_or("NONE".to_string(), Type::name);
        let right = operator.right.name();
        let detail = format!(
            "operator {}({left},{right}) depends on function {shown}",
            operator.name
        );
        Err(Error::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message).with_detail(detail))
    }

    pub fn drop_operators(&mut self, drop: &ast::DropOperators) -> Result<Statement> {
        let ast::DropOperators {
            operators,
            if_exists,
            cascade: _,
        } = drop;
        let mut dropped = Vec::with_capacity(operators.len());
        for ast::DropOperator {
            name,
            at,
            left,
            right,
        } in operators
        {
            let left = left.as_ref().map(|ty| self.resolve_type(ty)).transpose()?;
            let left = left.map(|(ty, _)| ty);
            let (right, _) = self.resolve_type(right)?;
            let schema = name
                .schema
                .as_ref()
                .is_none_or(|schema| is_schema(&schema.text));
            let mut all = self.catalog.operators().iter();
            let found = all.find(|operator| {
                *operator.name == *name.symbol && operator.left == left && operator.right == right
            });
            match found.filter(|_| schema) {
                Some(operator) => dropped.push((**operator).clone()),
                None if *if_exists => {}
                None => {
                    let left = left.map(|ty| format!("{} ", ty.name())).unwrap_or_default();
                    let message = format!(
                        "operator does not exist: {left}{} {}",
                        name.symbol,
                        right.name()
                    );
                    return Err(self.error(sqlstate::UNDEFINED_FUNCTION, message, *at));
                }
            }
        }
        Ok(Statement::DropOperator { operators: dropped })
    }
}

/// `f(integer, text)`
fn signature(name: &str, args: &[Type]) -> String {
    let args: Vec<String> = args.iter().map(|ty| ty.name()).collect();
    format!("{name}({})", args.join(", "))
}
