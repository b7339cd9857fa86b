/** Seconds that a counting sort may span: twelve days, far more than one sealing usually holds. */
const COUNTED_SECONDS_MAX = 1 << 20;

/** The points `0..n-1` in order of (label, second). */
export function orderByLabelAndSecond(label: Uint32Array, second: Uint32Array): Uint32Array {
  return countingOrder(label, orderBySecond(second), { lowest: 0, highest: highestOf(label) });
}

function orderBySecond(second: Uint32Array): Uint32Array {
  const order = Uint32Array.from(second.keys());
  const span = { lowest: lowestOf(second), highest: highestOf(second) };
  if (span.highest - span.lowest < COUNTED_SECONDS_MAX) return countingOrder(second, order, span);
  return order.toSorted((left, right) => (second[left] as number) - (second[right] as number));
}

/** Stable: points of equal value keep the order in which `order` lists them. */
function countingOrder(
  column: Uint32Array,
  order: Uint32Array,
  { lowest, highest }: { lowest: number; highest: number },
): Uint32Array {
  const from = new Uint32Array(highest - lowest + 2);
  for (const value of column) {
    const next = value - lowest + 1;
    from[next] = (from[next] as number) + 1;
  }
  for (let value = 1; value < from.length; value++) {
    from[value] = (from[value] as number) + (from[value - 1] as number);
  }
  const sorted = new Uint32Array(order.length);
  for (const point of order) {
    const value = (column[point] as number) - lowest;
    const place = from[value] as number;
    from[value] = place + 1;
    sorted[place] = point;
  }
  return sorted;
}

function highestOf(column: Uint32Array): number {
  return column.reduce((highest, value) => Math.max(highest, value), 0);
}

function lowestOf(column: Uint32Array): number {
  return column.reduce((lowest, value) => Math.min(lowest, value), column[0] ?? 0);
}
