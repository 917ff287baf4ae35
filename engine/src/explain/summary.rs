//! What EXPLAIN says after the plan: settings, times, and how the plan was run.

use super::property::{Property, Value};
use crate::bind::ExplainOptions;
use crate::instr::Report;
use crate::settings::{Driver, Group, Settings, Timing};

pub(super) fn properties(
    report: Option<&Report>,
    planning_ns: u64,
    settings: &Settings,
    options: &ExplainOptions,
) -> Vec<Property> {
    let mut properties = Vec::new();
    if options.settings {
        let changed: Vec<(&'static str, Value)> = settings
            .changed()
            .filter(|(definition, _)| definition.group != Group::Session)
            .map(|(definition, value)| (definition.name, Value::Text(value)))
            .collect();
        if !changed.is_empty() {
            properties.push(Property::both("Settings", Value::Object(changed)));
        }
    }
    if options.buffers {
        properties.push(Property::json(
            "Planning",
            Value::Object(super::buffers::keys(0).collect()),
        ));
    }
    if let Some(report) = report {
        properties.push(Property::Text(format!("Executor: {}", executor(report))));
    }
    if options.summary.unwrap_or(options.analyze) {
        properties.push(Property::Json("Planning Time", milliseconds(planning_ns)));
        properties.push(Property::Text(format!(
            "Planning Time: {} ms",
            milliseconds(planning_ns).plain()
        )));
    }
    let Some(report) = report else {
        return properties;
    };
    properties.push(Property::json("Triggers", Value::Nothing));
    if options.summary.unwrap_or(true) {
        // A plan that ran took some time, even if the clock did not tick.
        let execution = milliseconds(report.execution_ns.max(1000));
        properties.push(Property::Text(format!(
            "Execution Time: {} ms",
            execution.plain()
        )));
        properties.push(Property::json("Execution Time", execution));
    }
    own(report, &mut properties);
    properties
}

fn own(report: &Report, properties: &mut Vec<Property>) {
    let driver = &report.driver;
    properties.push(Property::json(
        "Executor",
        Value::text(driver_name(driver.driver)),
    ));
    if driver.pipelines > 0 {
        properties.push(Property::json(
            "Pipelines",
            Value::Integer(driver.pipelines as u64),
        ));
    }
    properties.push(Property::json(
        "Batch Rows",
        Value::Integer(driver.batch_rows as u64),
    ));
    let timing = match driver.timing {
        Timing::Off => "off",
        Timing::Batch if driver.sampled => "batch, sampled",
        Timing::Batch => "batch",
        Timing::Full => "full",
    };
    properties.push(Property::json("Timing Mode", Value::text(timing)));
    if driver.clock_step_ns > 0 {
        properties.push(Property::json(
            "Clock Step",
            Value::Float(driver.clock_step_ns as f64 / 1e6, 6),
        ));
    }
    if driver.clock_reads > 0 {
        properties.push(Property::json(
            "Clock Reads",
            Value::Integer(driver.clock_reads),
        ));
    }
    if driver.clock_cost_ns > 0 {
        let cost = milliseconds(driver.clock_cost_ns);
        properties.push(Property::Text(format!(
            "Timing: {} clock reads, about {} ms of them",
            driver.clock_reads,
            cost.plain()
        )));
        properties.push(Property::json("Clock Cost", cost));
    }
}

fn executor(report: &Report) -> String {
    let driver = &report.driver;
    let rows = driver.batch_rows;
    let sampled = if driver.sampled {
        ", times sampled"
    } else {
        ""
    };
    match driver.driver {
        Driver::Push => {
            let s = if driver.pipelines == 1 { "" } else { "s" };
            format!(
                "push ({} pipeline{s}, batch_rows {rows}{sampled})",
                driver.pipelines
            )
        }
        Driver::Pull => format!("pull (batch_rows {rows}{sampled})"),
    }
}

fn driver_name(driver: Driver) -> &'static str {
    match driver {
        Driver::Push => "push",
        Driver::Pull => "pull",
    }
}

fn milliseconds(ns: u64) -> Value {
    Value::Float(ns as f64 / 1e6, 3)
}
