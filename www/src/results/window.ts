/** Browsers lose precision, then refuse, beyond some 17 to 33 million pixels of height. */
const MAX_HEIGHT = 12_000_000;

/** Which rows of a long grid are drawn, and where. */
export interface Window {
  /** Height of the scrolled content. */
  height: number;
  first: number;
  /** One past the last. */
  end: number;
  /** Where the first drawn row begins in the scrolled content. */
  top: number;
}

/**
 * A fixed-row virtual window. Below the browsers' limit a pixel is a pixel; above it the scroll bar
 * stands for a share of the rows, and the drawn rows are placed where the scroll is.
 */
export function windowAt(scrollTop: number, viewHeight: number, rows: number, rowHeight: number, extra = 8): Window {
  const real = rows * rowHeight;
  const height = Math.min(real, MAX_HEIGHT);
  const travel = Math.max(0, height - viewHeight);
  const share = travel > 0 ? Math.min(1, Math.max(0, scrollTop / travel)) : 0;
  const realTop = share * Math.max(0, real - viewHeight);
  const visible = Math.ceil(viewHeight / rowHeight) + 1;
  const at = Math.floor(realTop / rowHeight);
  const first = Math.max(0, at - extra);
  const end = Math.min(rows, at + visible + extra);
  return { height, first, end, top: share * travel - (realTop - first * rowHeight) };
}

/** The scroll position that brings a row into view, or null when it is already there. */
export function scrollToRow(row: number, scrollTop: number, viewHeight: number, rows: number, rowHeight: number): number | null {
  const real = rows * rowHeight;
  const height = Math.min(real, MAX_HEIGHT);
  const travel = Math.max(0, height - viewHeight);
  if (travel === 0) return null;
  const realTravel = real - viewHeight;
  const realTop = (scrollTop / travel) * realTravel;
  const wanted = row * rowHeight < realTop ? row * rowHeight : (row + 1) * rowHeight > realTop + viewHeight ? (row + 1) * rowHeight - viewHeight : null;
  return wanted === null ? null : (wanted / realTravel) * travel;
}
