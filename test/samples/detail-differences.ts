/** Compares failures by kind and active users of a file with its independent reading. */

import { isDeepStrictEqual } from "node:util";
import type {
  IndependentReading,
  IndependentSample,
  IndependentUsers,
} from "../independent/read-results.mjs";
import type { Imported, ImportedFailure, ImportedUsers } from "./import-and-read.ts";

/** Longer texts are truncated on import. */
const TEXT_CHARACTERS_MAX = 500;

/** One line for each endpoint whose failures differ, and one if the users do. */
export function detailDifferences(
  imported: Imported,
  reading: IndependentReading | undefined,
): string[] {
  const samples = Map.groupBy(reading?.samples ?? [], ({ label }) => label);
  const failures = imported.endpoints.flatMap(({ label, failures: got }) =>
    compare(`${label}: failures`, got, failuresOf(samples.get(label) ?? [])),
  );
  return [...failures, ...compare("users", imported.users, usersOf(reading?.users ?? []))];
}

function compare<Row>(what: string, got: readonly Row[], want: readonly Row[]): string[] {
  if (isDeepStrictEqual(got, want)) return [];
  const index = want.findIndex((row, at) => !isDeepStrictEqual(row, got[at]));
  const at = index < 0 ? want.length : index;
  const [gotRow, wantRow] = [JSON.stringify(got[at]), JSON.stringify(want[at])];
  return [
    `${what}: ${got.length} rows, expected ${want.length}; got ${gotRow}, expected ${wantRow}`,
  ];
}

function failuresOf(samples: readonly IndependentSample[]): ImportedFailure[] {
  const rows = samples.flatMap(({ second, kinds = [] }) =>
    kinds.map(({ code, message, requests }) => ({
      code: cut(code),
      message: cut(message),
      second: Number(second),
      requests: Number(requests),
    })),
  );
  const groups = Map.groupBy(rows, ({ code, message, second }) =>
    JSON.stringify([code, message, second]),
  );
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      const requests = sum(group.map((row) => row.requests));
      return first === undefined ? [] : [{ ...first, requests }];
    })
    .toSorted(
      (left, right) =>
        byBytes(left.code, right.code) ||
        byBytes(left.message, right.message) ||
        left.second - right.second,
    );
}

function usersOf(users: readonly IndependentUsers[]): ImportedUsers[] {
  const groups = Map.groupBy(users, ({ generator, second }) => `${generator} ${second}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const numbers = (name: "active" | "started" | "ended") =>
        group.map((row) => Number(row[name] ?? 0n));
      return {
        generator: first.generator,
        second: Number(first.second),
        active: Math.max(...numbers("active")),
        started: sum(numbers("started")),
        ended: sum(numbers("ended")),
      };
    })
    .toSorted(
      (left, right) => byBytes(left.generator, right.generator) || left.second - right.second,
    );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX - 1)}…`;
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
