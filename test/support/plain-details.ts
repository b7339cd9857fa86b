/**
 * Failures by kind and active users, computed directly from their definition. The optimised code must match.
 */

import * as fc from "fast-check";
import type { UserTable } from "../../src/model/active-users.ts";
import type { FailureTable } from "../../src/model/failures.ts";

export interface PlainFailure {
  readonly endpoint: number;
  readonly code: string;
  readonly message: string;
  readonly second: number;
  readonly requests: number;
}

export interface PlainUsers {
  readonly generator: string;
  readonly second: number;
  readonly active: number;
  readonly started: number;
  readonly ended: number;
}

const second = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1.7e9, max: 1.7e9 + 3 }));
const count = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 40 }));

/**
 * Few kinds and seconds, so that they overlap; also non-ASCII texts, whose order is not obvious.
 */
export const failuresArbitrary: fc.Arbitrary<PlainFailure[]> = fc.array(
  fc.record({
    endpoint: fc.integer({ min: 0, max: 3 }),
    code: fc.constantFrom("", "500", "503", "5031"),
    message: fc.constantFrom("", "reset", "\uff5e", "\u{1f319}", "(other)"),
    second: fc.oneof(fc.constant(0), second),
    requests: count,
  }),
  { maxLength: 40 },
);

export const usersArbitrary: fc.Arbitrary<PlainUsers[]> = fc.array(
  fc.record({
    generator: fc.constantFrom("", "host-1", "\uff5e", "\u{1f319}"),
    second,
    active: fc.oneof(fc.constant(0), count),
    started: fc.oneof(fc.constant(0), count),
    ended: fc.oneof(fc.constant(0), count),
  }),
  { maxLength: 40 },
);

/** The table of these failures: each (endpoint, kind, second) once, in canonical order. */
export function failureTable(failures: readonly PlainFailure[]): FailureTable {
  const kinds = distinct(failures.map(({ code, message }) => ({ code, message }))).toSorted(
    (left, right) => compare(left.code, right.code) || compare(left.message, right.message),
  );
  const kindOf = (failure: PlainFailure) =>
    kinds.findIndex(({ code, message }) => code === failure.code && message === failure.message);
  const rows = distinct(
    failures.map((each) => [each.endpoint, kindOf(each), each.second] as const),
  ).toSorted((left, right) => left[0] - right[0] || left[1] - right[1] || left[2] - right[2]);
  return {
    kinds,
    counts: {
      endpoint: Uint32Array.from(rows, ([endpoint]) => endpoint),
      kind: Uint32Array.from(rows, ([, kind]) => kind),
      second: Uint32Array.from(rows, (row) => row[2]),
      requests: Float64Array.from(rows, ([endpoint, kind, at]) =>
        failures
          .filter((each) => each.endpoint === endpoint && kindOf(each) === kind)
          .filter((each) => each.second === at)
          .reduce((sum, each) => sum + each.requests, 0),
      ),
    },
  };
}

/** The table of these users: each (generator, second) once, in canonical order. */
export function userTable(users: readonly PlainUsers[]): UserTable {
  const generators = distinct(users.map(({ generator }) => generator)).toSorted(compare);
  const rows = distinct(
    users.map((each) => [generators.indexOf(each.generator), each.second] as const),
  ).toSorted((left, right) => left[0] - right[0] || left[1] - right[1]);
  const columnOf = (combine: (met: readonly PlainUsers[]) => number) =>
    Float64Array.from(rows, ([generator, at]) =>
      combine(
        users.filter((each) => each.generator === generators[generator] && each.second === at),
      ),
    );
  return {
    generators,
    counts: {
      generator: Uint32Array.from(rows, ([generator]) => generator),
      second: Uint32Array.from(rows, (row) => row[1]),
      active: columnOf((met) => Math.max(...met.map(({ active }) => active))),
      started: columnOf((met) => met.reduce((sum, { started }) => sum + started, 0)),
      ended: columnOf((met) => met.reduce((sum, { ended }) => sum + ended, 0)),
    },
  };
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Compares by UTF-8 bytes. */
function compare(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
