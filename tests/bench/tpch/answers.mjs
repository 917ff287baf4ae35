// Whether two engines answered the same: numbers to six digits, text without char's padding, any order.

const DIGITS = 6;

function normal(value) {
  if (value === null || value === undefined) return "NULL";
  const text = String(value).trimEnd();
  return text !== "" && Number.isFinite(Number(text)) ? Number(text).toPrecision(DIGITS) : text;
}

const near = (a, b) => a === b || Math.abs(Number(a) - Number(b)) <= 2 * 10 ** (1 - DIGITS) * Math.abs(Number(a));

/** What differs first, or null. */
export function difference(wanted, got) {
  if (wanted.length !== got.length) return `${got.length} rows instead of ${wanted.length}`;
  const [a, b] = [wanted, got].map((rows) => rows.map((row) => row.map(normal)).sort((x, y) => (x.join("|") < y.join("|") ? -1 : 1)));
  const at = a.findIndex((row, i) => row.length !== b[i].length || row.some((value, k) => !near(value, b[i][k])));
  return at < 0 ? null : `${b[at].join("|")} instead of ${a[at].join("|")}`;
}
