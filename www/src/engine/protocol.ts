// Generated from web/src/messages.rs; refresh with `UPDATE_PROTOCOL=1 cargo test -p web`.

export type Event = { "kind": "progress" } & Progress | { "kind": "rows" } & Rows | { "kind": "statement" } & Statement | { "kind": "done" };

export type Progress = { 
/**
 * Which statement of the script runs, from 0.
 */
statement: number, 
/**
 * How far the current pipeline is, 0 to 1, from pages done; null where nobody can know.
 */
fraction: number | null, 
/**
 * Milliseconds of work so far, the gaps between slices excluded.
 */
elapsed_ms: number, 
/**
 * The counters of every node, depth first as the plan prints them, `counter_names().length` numbers a node.
 */
counters: Float64Array | null, 
/**
 * EXPLAIN's JSON without actual figures, once per statement when its execution begins.
 */
plan: string | null, };

export type Rows = { statement: number, 
/**
 * With the first rows of a statement only.
 */
columns: Array<Column> | null, rows: Array<Array<string | null>>, };

export type Column = { name: string, 
/**
 * PostgreSQL's name of the type.
 */
type: string, };

export type Statement = { statement: number, 
/**
 * The statement's own text.
 */
sql: string, 
/**
 * PostgreSQL's command tag (`SELECT 1`, `INSERT 0 3`); empty for a failed statement.
 */
tag: string, columns: Array<Column>, 
/**
 * Rows produced, sent or not.
 */
rows_total: number, error: StatementError | null, notices: Array<Notice>, 
/**
 * EXPLAIN's JSON with actual figures; null for a statement without a plan.
 */
plan: string | null, 
/**
 * The same as EXPLAIN's text.
 */
plan_text: string | null, 
/**
 * Milliseconds of work, the gaps between slices excluded.
 */
elapsed_ms: number, };

export type StatementError = { sqlstate: string, message: string, detail: string | null, hint: string | null, 
/**
 * Line and column in the script, both from 1; columns count characters.
 */
line: number | null, column: number | null, };

export type Notice = { 
/**
 * `NOTICE` or `WARNING`.
 */
severity: string, message: string, };

export type Setting = { name: string, group: string, 
/**
 * One sentence.
 */
help: string, shape: SettingShape, default: string, value: string, };

export type SettingShape = { "type": "bool" } | { "type": "enum", values: Array<string>, } | { "type": "integer", min: number, max: number, } | { "type": "size", min: string, max: string, } | { "type": "duration" } | { "type": "real" } | { "type": "inert" };

export type Table = { name: string, columns: Array<Column>, 
/**
 * The table's own `quals_push_down`, which wins over the setting; null where it has none.
 */
quals_push_down: boolean | null, };
