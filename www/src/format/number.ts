/** Digits grouped in threes: `1,234,567`. */
export function count(n: number): string {
  return Math.round(n).toLocaleString("en-US");
}

/** A count in at most four signs where space is short: `999`, `1.2k`, `12k`, `3.4M`. */
export function shortCount(n: number): string {
  const rounded = Math.round(n);
  for (const [size, sign] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (rounded >= size) {
      const value = rounded / size;
      return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.floor(value)}${sign}`;
    }
  }
  return String(rounded);
}

/** Bytes in PostgreSQL's units: `512 B`, `8.0 kB`, `35 MB`. */
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A share of one as a percentage, never rounded up to 100 or down to 0. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return "<0.1%";
  if (value > 99.9 && value < 100) return ">99.9%";
  return `${value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)}%`;
}

/** One thing or several: `1 row`, `2 rows`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A change as a percentage with its sign: `+8.1 %`, `−17.02 %`. */
export function signedPercent(share: number, digits = 1): string {
  const sign = share > 0 ? "+" : share < 0 ? "−" : "";
  return `${sign}${Math.abs(share * 100).toFixed(digits)} %`;
}
