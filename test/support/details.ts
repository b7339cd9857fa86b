/**
 * Batches with failures by kind and active users for store tests, and functions to read them back.
 */

import { ALL_SECONDS, type SecondRange } from "../../src/model/columns.ts";
import type { PointBatch, Store } from "../../src/store/store.ts";
import { batchOf, collect, sample, snapshotOf, endpointsOf } from "./batches.ts";
import { failureTable, type PlainFailure, type PlainUsers, userTable } from "./plain-details.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";

/** The labels that plain failures refer to by index; unsorted. */
export const LABELS = ["c", "a", "d", "b"];

type About = Partial<Pick<PointBatch, "loadTestId" | "sourceId" | "visibility" | "sequence">>;

export function withFailures(failures: readonly PlainFailure[], about: About = {}): PointBatch {
  return { ...batchOf([], { ...about, failures: failureTable(failures) }), labels: LABELS };
}

export function withUsers(users: readonly PlainUsers[], about: About = {}): PointBatch {
  return batchOf([], { ...about, users: userTable(users) });
}

/** A point, two failures of one kind and seven users, in the same second. */
export function detailed(about: About = {}): PointBatch {
  const failures = failureTable([failure(0, "503", 3, 2)]);
  const users = userTable([active("host", 3, 7)]);
  return batchOf([sample("a", 3)], { ...about, failures, users });
}

export function failure(
  endpoint: number,
  code: string,
  second: number,
  requests = 1,
): PlainFailure {
  return { endpoint, code, message: "", second, requests };
}

export function active(generator: string, second: number, users: number): PlainUsers {
  return { generator, second, active: users, started: 0, ended: 0 };
}

interface FailuresByLabel {
  readonly label: string;
  readonly rows: (readonly [code: string, message: string, second: number, requests: number])[];
}

export async function failuresIn(
  snapshot: Snapshot,
  range: SecondRange = ALL_SECONDS,
): Promise<FailuresByLabel[]> {
  const found = await collect(snapshot.failures(await endpointsOf(snapshot), range));
  return found.map(({ endpoint, kinds, kind, second, requests }) => ({
    label: endpoint.label,
    rows: [...second].map((at, row) => {
      const { code, message } = kinds[kind[row] as number] ?? { code: "?", message: "?" };
      return [code, message, at, requests[row] as number];
    }),
  }));
}

export async function storedFailures(store: Store, loadTestId = "run", range = ALL_SECONDS) {
  const snapshot = await snapshotOf(store, loadTestId);
  return failuresIn(snapshot, range).finally(() => snapshot.release());
}

export function expectedFailures(failures: readonly PlainFailure[]): FailuresByLabel[] {
  return [...LABELS.keys()]
    .filter((index) => failures.some(({ endpoint }) => endpoint === index))
    .toSorted((left, right) => ((LABELS[left] ?? "") < (LABELS[right] ?? "") ? -1 : 1))
    .map((index) => {
      const { kinds, counts } = failureTable(failures.filter((each) => each.endpoint === index));
      const rows = [...counts.second].map((second, row) => {
        const { code, message } = kinds[counts.kind[row] as number] ?? { code: "?", message: "?" };
        return [code, message, second, counts.requests[row] as number] as const;
      });
      return { label: LABELS[index] ?? "?", rows };
    });
}

type UsersOfGenerator = readonly [sourceId: string, generator: string, rows: number[][]];

export async function usersIn(
  snapshot: Snapshot,
  range: SecondRange = ALL_SECONDS,
): Promise<UsersOfGenerator[]> {
  const found = await collect(snapshot.users(range));
  return found.map(({ sourceId, generator, second, active: most, started, ended }) => [
    sourceId,
    generator,
    [...second].map((at, row) => [
      at,
      ...[most, started, ended].map((each) => each[row] as number),
    ]),
  ]);
}

export async function storedUsers(store: Store, loadTestId = "run", range = ALL_SECONDS) {
  const snapshot = await snapshotOf(store, loadTestId);
  return usersIn(snapshot, range).finally(() => snapshot.release());
}

/** Two source ids that sort differently by UTF-16 and by UTF-8. */
export function sourceOf(sequence: number): string {
  return sequence % 2 === 0 ? "\u{1f319}" : "\uff5e";
}

export function expectedUsers(split: readonly (readonly PlainUsers[])[]): UsersOfGenerator[] {
  return ["\uff5e", "\u{1f319}"].flatMap((sourceId) => {
    const own = split.filter((_, sequence) => sourceOf(sequence) === sourceId).flat();
    const { generators, counts } = userTable(own);
    return generators.map((generator, number) => {
      const rows = [...counts.generator.keys()].filter((row) => counts.generator[row] === number);
      const columns = [counts.second, counts.active, counts.started, counts.ended];
      const numbers = rows.map((row) => columns.map((column) => column[row] as number));
      return [sourceId, generator, numbers] as const;
    });
  });
}
