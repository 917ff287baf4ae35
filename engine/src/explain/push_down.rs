//! What became of a scan's conditions: keys, and why the others stayed (mail 1).

use super::deparse::Place;
use super::describe::{Describer, removed};
use super::property::{Property, Value};
use crate::am::KeySupport;
use crate::instr::NodeReport;
use crate::plan::{DecidedBy, NotPushedReason, SeqScan};

pub(super) fn properties<'a>(
    describer: &Describer<'a>,
    scan: &'a SeqScan,
    report: Option<&NodeReport>,
    properties: &mut Vec<Property>,
) {
    let prefix = describer.options.verbose;
    let condition = |qual| describer.deparser.text(qual, Place::Table(scan), prefix);
    if !scan.keys.is_empty() {
        let keys: Vec<String> = scan
            .keys
            .iter()
            .map(|key| format!("{} [{}]", condition(&key.qual), support(key.support)))
            .collect();
        properties.push(Property::both("Scan Keys", Value::Text(keys.join(", "))));
        if let Some(report) = report {
            const KEY: &str = "Rows Removed by Scan Keys";
            let rows = report.facts.scan.map_or(0, |scan| scan.removed_by_keys);
            properties.push(match rows {
                0 => Property::own(KEY, 0),
                rows => removed(KEY, rows, report),
            });
        }
    }
    if !scan.not_pushed.is_empty() {
        let kept: Vec<String> = scan
            .not_pushed
            .iter()
            .map(|kept| format!("{} [{}]", condition(&kept.qual), reason(&kept.reason)))
            .collect();
        properties.push(Property::both("Not Pushed", Value::Text(kept.join(", "))));
    }
    if let Some(decision) = decision(scan) {
        properties.push(Property::both("Push-Down", Value::text(decision)));
    }
    let Some(report) = report else { return };
    let Some(counters) = report.facts.scan else {
        return;
    };
    let conditions = !scan.keys.is_empty() || !scan.not_pushed.is_empty();
    if scan.rechecked > 0 {
        properties.push(Property::own("Rows Rechecked", report.facts.rows_rechecked));
    }
    if !scan.keys.is_empty() {
        properties.push(Property::own("Key Evaluations", counters.key_evaluations));
    }
    if conditions {
        properties.push(Property::own(
            "Qual Evaluations",
            report.facts.qual_evaluations,
        ));
    }
    properties.push(Property::own("Pages Read", counters.pages_read));
    if counters.pages_skipped > 0 {
        properties.push(Property::own("Pages Skipped", counters.pages_skipped));
    }
}

fn support(support: KeySupport) -> &'static str {
    match support {
        KeySupport::Exact => "exact",
        KeySupport::Inexact => "inexact",
        KeySupport::No => "no",
    }
}

/// Said where it is not the default: the setting is off, or the table's option decides.
fn decision(scan: &SeqScan) -> Option<&'static str> {
    if scan.keys.is_empty() && scan.not_pushed.is_empty() {
        return None;
    }
    let off = scan
        .not_pushed
        .iter()
        .any(|kept| matches!(kept.reason, NotPushedReason::PushDownOff(_)));
    match (off, scan.decided_by) {
        (true, DecidedBy::TableOption) => Some("off by the table's option"),
        (true, DecidedBy::Setting) => Some("off by the setting"),
        (false, DecidedBy::TableOption) => Some("on by the table's option"),
        (false, DecidedBy::Setting) => None,
    }
}

fn reason(reason: &NotPushedReason) -> String {
    match reason {
        NotPushedReason::UserDefinedOperator(name) => format!("{name} is user-defined"),
        NotPushedReason::NotLeakproof(function) => format!("{function} is not leakproof"),
        NotPushedReason::Volatile => "volatile".to_string(),
        NotPushedReason::ExpressionOnColumnSide => "expression on the column side".to_string(),
        NotPushedReason::NotStrict(function) => format!("{function} is not strict"),
        NotPushedReason::CorrelatedSubselect => "correlated sub-select".to_string(),
        NotPushedReason::OperatorNotSupported(operator) => {
            format!("operator {operator} is no comparison")
        }
        NotPushedReason::TypeNotSupported { ty, access_method } => {
            format!("type {} is not supported by {access_method}", ty.name())
        }
        NotPushedReason::FormNotSupported { access_method } => {
            format!("this form of condition is not supported by {access_method}")
        }
        NotPushedReason::PushDownOff(_) => "push-down is off for this table".to_string(),
        NotPushedReason::NotSimple => "not of the form column operator value".to_string(),
    }
}
