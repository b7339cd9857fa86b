/** Seconds that a counting sort may span: twelve days, far more than one sealing usually holds. */
const COUNTED_SECONDS_MAX = 1 << 20;

/** The points `0..n-1` in order of (label, second). */
export function orderByLabelAndSecond(label: Uint32Array, second: Uint32Array): Uint32Array {
  return countingOrder(label, orderBySecond(second), { lowest: 0, highest: highestOf(label) });
}

function orderBySecond(second: Uint32Array): Uint32Array {
  const order = new Uint32Array(second.length);
  for (let point = 0; point < order.length; point++) order[point] = point;
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
  for (let point = 0; point < column.length; point++) {
    const next = (column[point] as number) - lowest + 1;
    from[next] = (from[next] as number) + 1;
  }
  for (let value = 1; value < from.length; value++) {
    from[value] = (from[value] as number) + (from[value - 1] as number);
  }
  const sorted = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) {
    const point = order[rank] as number;
    const value = (column[point] as number) - lowest;
    const place = from[value] as number;
    from[value] = place + 1;
    sorted[place] = point;
  }
  return sorted;
}

function highestOf(column: Uint32Array): number {
  let highest = 0;
  for (let point = 0; point < column.length; point++) {
    highest = Math.max(highest, column[point] as number);
  }
  return highest;
}

function lowestOf(column: Uint32Array): number {
  let lowest = column[0] ?? 0;
  for (let point = 1; point < column.length; point++) {
    lowest = Math.min(lowest, column[point] as number);
  }
  return lowest;
}
