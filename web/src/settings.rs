//! The engine's settings table, as the page's knob panel takes it.

use engine::settings::{DEFINITIONS, Definition, Group, Kind, Settings, size_text};

use crate::messages::{Setting, SettingShape};

/// Every setting with the session's value.
pub fn table(session: &Settings) -> Vec<Setting> {
    DEFINITIONS
        .iter()
        .map(|definition| Setting {
            name: definition.name.to_string(),
            group: title(definition.group).to_string(),
            help: definition.help.to_string(),
            shape: shape(definition),
            default: Settings::default_text(definition),
            value: session
                .show(definition.name)
                .unwrap_or_else(|_| Settings::default_text(definition)),
        })
        .collect()
}

fn title(group: Group) -> &'static str {
    match group {
        Group::PushDown => "Qual push-down",
        Group::Executor => "Executor",
        Group::Planner => "Planner",
        Group::Resources => "Resources",
        Group::Session => "Session",
    }
}

fn shape(definition: &Definition) -> SettingShape {
    match definition.kind {
        Kind::Bool { .. } => SettingShape::Bool,
        Kind::Choice { values, .. } => SettingShape::Enum {
            values: values.iter().map(|value| value.to_string()).collect(),
        },
        Kind::Integer { min, max, .. } => SettingShape::Integer {
            min: min as f64,
            max: max as f64,
        },
        Kind::Size { min, max, .. } => SettingShape::Size {
            min: size_text(min),
            max: size_text(max),
        },
        Kind::Duration { .. } => SettingShape::Duration,
        Kind::Real { .. } => SettingShape::Real,
        Kind::Inert { .. } => SettingShape::Inert,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_the_sessions_values() {
        let mut session = Settings::default();
        session
            .set("quals_push_down", "off")
            .expect("a known setting");
        let table = table(&session);
        let of = |name: &str| {
            table
                .iter()
                .find(|setting| setting.name == name)
                .expect("a known setting")
        };
        assert_eq!(of("quals_push_down").value, "off");
        assert_eq!(of("quals_push_down").default, "on");
        assert!(matches!(
            of("batch_rows").shape,
            SettingShape::Integer { .. }
        ));
        assert!(matches!(of("executor").shape, SettingShape::Enum { .. }));
    }
}
