/** The middle of the values. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Half the distance between the quartiles, as a share of the median. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)];
  return (at(0.75) - at(0.25)) / 2 / median(values);
}

/** The order of a round: forwards, then backwards, so that no peer always follows the same one. */
export function order(count, round) {
  const all = Array.from({ length: count }, (_, i) => i);
  return round % 2 ? all.reverse() : all;
}

/** The mean of ratios: 2 and 0.5 together are 1. */
export function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
