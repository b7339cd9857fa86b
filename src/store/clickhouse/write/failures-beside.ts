import type { FailureTable } from "../../../model/failures.ts";
import type { Contents } from "./contents.ts";

/** Failures by (endpoint, second): in the order of the points, then those without a point. */
export interface FailuresBeside {
  readonly from: Uint32Array;
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  readonly requests: Float64Array;
  readonly alone: readonly { readonly endpoint: number; readonly second: number }[];
}

/** Unique exact number of an endpoint and second. */
function keyOf(endpoint: number, second: number): number {
  return endpoint * 2 ** 32 + second;
}

export function failuresBeside(points: Contents["points"], table: FailureTable): FailuresBeside {
  const { endpoint, second, kind, requests } = table.counts;
  const byKey = new Map<number, number[]>();
  for (let row = 0; row < endpoint.length; row++) {
    const key = keyOf(endpoint[row] as number, second[row] as number);
    const rows = byKey.get(key);
    if (rows === undefined) byKey.set(key, [row]);
    else rows.push(row);
  }
  const order: number[] = [];
  const count = points.second.length;
  const ends: number[] = [];
  for (let point = 0; point < count; point++) {
    const key = keyOf(points.endpoint[point] as number, points.second[point] as number);
    const rows = byKey.size === 0 ? undefined : byKey.get(key);
    if (rows !== undefined) {
      byKey.delete(key);
      order.push(...rows);
    }
    ends.push(order.length);
  }
  const alone = [...byKey.values()];
  for (const rows of alone) ends.push(order.push(...rows));
  return {
    from: offsetsOf(ends),
    codes: order.map((row) => table.kinds[kind[row] as number]?.code ?? ""),
    messages: order.map((row) => table.kinds[kind[row] as number]?.message ?? ""),
    requests: Float64Array.from(order, (row) => requests[row] as number),
    alone: alone.map(([row = 0]) => ({
      endpoint: endpoint[row] as number,
      second: second[row] as number,
    })),
  };
}

function offsetsOf(ends: readonly number[]): Uint32Array {
  const from = new Uint32Array(ends.length + 1);
  from.set(ends, 1);
  return from;
}
