//! CREATE, ALTER and DROP.

use std::rc::Rc;

use super::binder::{Binder, Relation, is_schema};
use super::{CreateTable, ObjectKind, RelOptions, Statement};
use crate::catalog::{
    ColumnDef, FunctionFacts, FunctionKind, FunctionRef, OperatorFacts, Origin, SqlBody, View,
    Volatility,
};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, AlterAction, DropKind, FunctionBody, OperatorOptionValue, RelOption};
use crate::value::{Base, Type};

/// `MaxHeapAttributeNumber`
const MAX_COLUMNS: usize = 1600;

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
    pub fn create_table(&mut self, create: &ast::CreateTable) -> Result<Statement> {
        let ast::CreateTable {
            name,
            temporary,
            if_not_exists,
            columns,
            constraints,
            access_method,
            options,
        } = create;
        self.no_temporary(*temporary)?;
        let mut defined: Vec<ColumnDef> = Vec::with_capacity(columns.len());
        for column in columns {
            let ast::ColumnDefinition {
                name,
                ty,
                not_null,
                default,
                others,
            } = column;
            if let Some((feature, at)) = others.first() {
                return Err(self.unsupported(feature, *at));
            }
            if defined.iter().any(|other| *other.name == *name.text) {
                let message = format!("column \"{}\" specified more than once", name.text);
                return Err(self.error(sqlstate::DUPLICATE_COLUMN, message, name.at));
            }
            let (column_type, typmod) = self.column_type(&name.text, ty)?;
            let mut column = ColumnDef {
                name: Rc::from(name.text.as_str()),
                ty: column_type,
                typmod,
                not_null: *not_null,
                default: None,
            };
            if let Some((expr, text)) = default {
                self.check_default(expr, &column)?;
                column.default = Some(Rc::from(text.as_str()));
            }
            defined.push(column);
        }
        if let Some((feature, at)) = constraints.first() {
            return Err(self.unsupported(feature, *at));
        }
        if defined.len() > MAX_COLUMNS {
            let message = format!("tables can have at most {MAX_COLUMNS} columns");
            return Err(Error::new(sqlstate::TOO_MANY_COLUMNS, message));
        }
        Ok(Statement::CreateTable(CreateTable {
            name: self.new_name(name)?,
            if_not_exists: *if_not_exists,
            columns: defined,
            access_method: self.access_method(access_method.as_ref())?,
            options: rel_options(options),
        }))
    }

    fn no_temporary(&self, temporary: Option<Position>) -> Result<()> {
        match temporary {
            Some(at) => Err(self.unsupported("a temporary table or view", at)),
            None => Ok(()),
        }
    }

    fn column_type(&self, name: &str, ty: &ast::TypeName) -> Result<(Type, i32)> {
        let (resolved, typmod) = self.resolve_type(ty)?;
        if ty.set_of {
            let message = format!("column \"{name}\" cannot be declared SETOF");
            return Err(self.error(sqlstate::INVALID_TABLE_DEFINITION, message, ty.name.at()));
        }
        if resolved.base == Base::Void {
            let message = format!("column \"{name}\" has pseudo-type void");
            return Err(self.error(sqlstate::INVALID_TABLE_DEFINITION, message, ty.name.at()));
        }
        Ok((resolved, typmod))
    }

    /// The access method that is named, or the default one.
    fn access_method(&self, name: Option<&ast::Name>) -> Result<String> {
        match name {
            Some(name) => {
                let found = self.catalog.access_method(&name.text);
                found.map_err(|error| error.at(self.at(name.at)))?;
                Ok(name.text.clone())
            }
            None => match self.catalog.access_methods().first() {
                Some(method) => Ok(method.name().to_string()),
                None => Ok("heap".to_string()),
            },
        }
    }

    pub fn create_table_as(&mut self, create: &ast::CreateTableAs) -> Result<Statement> {
        let ast::CreateTableAs {
            name,
            temporary,
            if_not_exists,
            columns,
            access_method,
            options,
            query,
            with_data,
        } = create;
        self.no_temporary(*temporary)?;
        if !with_data {
            return Err(self.unsupported("WITH NO DATA", name.at()));
        }
        let mut query = self.query(query)?;
        if columns.len() > query.columns.len() {
            let message = "too many column names were specified";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        for (column, name) in query.columns.iter_mut().zip(columns) {
            column.name = Rc::from(name.text.as_str());
        }
        self.check_result_columns(&query)?;
        Ok(Statement::CreateTableAs {
            name: self.new_name(name)?,
            if_not_exists: *if_not_exists,
            access_method: self.access_method(access_method.as_ref())?,
            options: rel_options(options),
            query,
        })
    }

    /// The columns of a new table or view must have names of their own.
    fn check_result_columns(&self, query: &super::Query) -> Result<()> {
        for (index, column) in query.columns.iter().enumerate() {
            if query.columns[..index]
                .iter()
                .any(|other| other.name == column.name)
            {
                let message = format!("column \"{}\" specified more than once", column.name);
                return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
            }
        }
        Ok(())
    }

    pub fn create_view(&mut self, create: &ast::CreateView) -> Result<Statement> {
        let ast::CreateView {
            name,
            or_replace,
            temporary,
            columns,
            options,
            query,
            text,
            check_option,
        } = create;
        self.no_temporary(*temporary)?;
        if let Some(at) = check_option {
            return Err(self.unsupported("WITH CHECK OPTION", *at));
        }
        let mut security_barrier = false;
        for RelOption { name, value } in options {
            match name.text.as_str() {
                "security_barrier" => {
                    security_barrier =
                        self.boolean_option(&name.text, value.as_deref(), name.at)?;
                }
                "check_option" | "security_invoker" => {
                    return Err(self.unsupported(&name.text, name.at));
                }
                other => {
                    let message = format!("unrecognized parameter \"{other}\"");
                    return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
                }
            }
        }
        let mut bound = self.query(query)?;
        if columns.len() > bound.columns.len() {
            let message = "CREATE VIEW specifies more column names than columns";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        for (column, name) in bound.columns.iter_mut().zip(columns) {
            column.name = Rc::from(name.text.as_str());
        }
        self.check_result_columns(&bound)?;
        let view_name = self.new_name(name)?;
        if *or_replace && let Some(existing) = self.catalog.view(&view_name).cloned() {
            self.check_replacement(&existing, &bound)?;
        }
        let view = View {
            name: Rc::from(view_name.as_str()),
            definition: Rc::from(text.as_str()),
            column_names: columns
                .iter()
                .map(|name| Rc::from(name.text.as_str()))
                .collect(),
            security_barrier,
            uses: std::mem::take(&mut self.relations),
        };
        Ok(Statement::CreateView {
            name: view_name,
            or_replace: *or_replace,
            view,
        })
    }

    /// A view may be replaced by one with the same columns and more (`checkViewTupleDesc`).
    fn check_replacement(&mut self, existing: &View, new: &super::Query) -> Result<()> {
        let invalid = |message: String| Error::new(sqlstate::INVALID_TABLE_DEFINITION, message);
        let old = self.view_query(existing)?;
        if new.columns.len() < old.columns.len() {
            return Err(invalid("cannot drop columns from view".to_string()));
        }
        for (old, new) in old.columns.iter().zip(&new.columns) {
            if old.name != new.name {
                let message = format!(
                    "cannot change name of view column \"{}\" to \"{}\"",
                    old.name, new.name
                );
                return Err(invalid(message).with_hint(
                    "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
                ));
            }
            if (old.ty, old.typmod) != (new.ty, new.typmod) {
                let message = format!(
                    "cannot change data type of view column \"{}\" from {} to {}",
                    old.name,
                    old.ty.name(),
                    new.ty.name()
                );
                return Err(invalid(message));
            }
        }
        Ok(())
    }

    pub fn boolean_option(&self, name: &str, value: Option<&str>, at: Position) -> Result<bool> {
        match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("true" | "on" | "yes" | "1") => Ok(true),
            Some("false" | "off" | "no" | "0") => Ok(false),
            Some(other) => {
                let message = format!("invalid value for boolean option \"{name}\": {other}");
                Err(self.error(sqlstate::INVALID_PARAMETER_VALUE, message, at))
            }
        }
    }

    // Functions and operators.

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

    pub fn drop(&mut self, drop: &ast::Drop) -> Result<Statement> {
        let ast::Drop {
            kind,
            names,
            if_exists,
            cascade,
        } = drop;
        let kind = match kind {
            DropKind::Table => ObjectKind::Table,
            DropKind::View => ObjectKind::View,
        };
        let mut dropped = Vec::with_capacity(names.len());
        for name in names {
            match self.object_name(name) {
                Some(object) => dropped.push(object.to_string()),
                // What is in no schema that exists does not exist either.
                None if *if_exists => {}
                None => {
                    let schema = &name.parts[0].text;
                    let message = format!("schema \"{schema}\" does not exist");
                    return Err(Error::new(sqlstate::UNDEFINED_SCHEMA, message));
                }
            }
        }
        Ok(Statement::Drop {
            kind,
            names: dropped,
            if_exists: *if_exists,
            cascade: *cascade,
        })
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

    pub fn alter_table(&mut self, alter: &ast::AlterTable) -> Result<Statement> {
        let ast::AlterTable {
            name,
            if_exists,
            actions,
        } = alter;
        if *if_exists {
            return Err(self.unsupported("ALTER TABLE IF EXISTS", name.at()));
        }
        let mut options: Vec<(String, Option<String>)> = Vec::new();
        for action in actions {
            match action {
                AlterAction::SetOptions(set) => options.extend(
                    rel_options(set)
                        .into_iter()
                        .map(|(name, value)| (name, Some(value))),
                ),
                AlterAction::ResetOptions(names) => {
                    options.extend(names.iter().map(|name| (name.text.clone(), None)));
                }
                AlterAction::Unsupported { action, at } => {
                    return Err(self.unsupported(format!("ALTER TABLE … {action}"), *at));
                }
            }
        }
        let table = self.table_for(name, "ALTER TABLE")?;
        Ok(Statement::AlterTableOptions { table, options })
    }

    /// A table, and not a view, for a command that is about its storage.
    pub fn table_for(
        &mut self,
        name: &ast::QualifiedName,
        command: &str,
    ) -> Result<Rc<crate::catalog::Table>> {
        match self.relation(name).map_err(|error| Error {
            position: None,
            ..error
        })? {
            Relation::Table(table) => Ok(table),
            Relation::View(view) => {
                let message = match command {
                    "ALTER TABLE" => {
                        return Err(self.unsupported("ALTER TABLE of a view", name.at()));
                    }
                    _ => format!("\"{}\" is not a table", view.name),
                };
                Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message))
            }
        }
    }
}

/// `f(integer, text)`
fn signature(name: &str, args: &[Type]) -> String {
    let args: Vec<String> = args.iter().map(|ty| ty.name()).collect();
    format!("{name}({})", args.join(", "))
}

/// An option without a value is `true`.
fn rel_options(options: &[RelOption]) -> RelOptions {
    let value = |option: &RelOption| option.value.clone().unwrap_or_else(|| "true".to_string());
    options
        .iter()
        .map(|option| (option.name.text.clone(), value(option)))
        .collect()
}
