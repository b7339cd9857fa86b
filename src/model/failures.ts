import { addExactly } from "./exact.ts";
import { compareLabels } from "./label.ts";
import { concatenate, groupRows } from "./row-groups.ts";

/** Failure as recorded by the tool; either text may be empty. */
export interface FailureKind {
  /** Response code such as `503`, or what the tool writes instead. */
  readonly code: string;
  /** At most `FAILURE_TEXT_CHARACTERS_MAX` characters. */
  readonly message: string;
}

/** Kinds per source and endpoint; the rest counts as `OTHER_FAILURES`. */
export const FAILURE_KINDS_MAX = 100;

/** Longer texts are truncated with an ellipsis. */
export const FAILURE_TEXT_CHARACTERS_MAX = 500;

export const OTHER_FAILURES: FailureKind = { code: "", message: "(other)" };

/** Columns sorted by (endpoint, kind, second), unique. */
export interface FailureCounts {
  /** Index into the table of labels that the counts travel with. */
  readonly endpoint: Uint32Array;
  /** Index into the table of kinds that the counts travel with. */
  readonly kind: Uint32Array;
  /** UNIX second of the start of the request; 0: unknown. */
  readonly second: Uint32Array;
  /** At least 1; an exact integer. */
  readonly requests: Float64Array;
}

/** Each kind occurs once in the table. */
export interface FailureTable {
  readonly kinds: readonly FailureKind[];
  readonly counts: FailureCounts;
}

export const NO_FAILURES: FailureTable = {
  kinds: [],
  counts: {
    endpoint: new Uint32Array(0),
    kind: new Uint32Array(0),
    second: new Uint32Array(0),
    requests: new Float64Array(0),
  },
};

/**
 * Merges tables with unordered, possibly repeated rows. Kinds are used, unique, and ascending by code, then
 * message (UTF-8 bytes); rows are sorted by (endpoint, kind, second). Throws `sum-too-large`.
 */
export function mergeFailures(parts: readonly FailureTable[]): FailureTable {
  const used = parts.map(usedKinds);
  const { kinds, numberOf } = uniteKinds(used.flat());
  const endpoint = concatenate(Uint32Array, parts, ({ counts }) => counts.endpoint);
  const kind = concatenate(Uint32Array, parts, ({ counts }, part) => {
    const own = used[part] ?? [];
    const numbers = new Map(own.map(([number, named]) => [number, numberOf.get(keyOfKind(named))]));
    return counts.kind.map((number) => numbers.get(number) as number);
  });
  const second = concatenate(Uint32Array, parts, ({ counts }) => counts.second);
  const requests = concatenate(Float64Array, parts, ({ counts }) => counts.requests);
  const groups = groupRows([endpoint, kind, second]);
  return {
    kinds,
    counts: {
      endpoint: groups.first(endpoint),
      kind: groups.first(kind),
      second: groups.first(second),
      requests: groups.reduce(requests, addExactly),
    },
  };
}

/** Returns the distinct kinds in order, and the number of each by key. */
function uniteKinds(all: readonly NumberedKind[]): {
  readonly kinds: readonly FailureKind[];
  readonly numberOf: ReadonlyMap<string, number>;
} {
  const used = new Map(all.map(([, kind]) => [keyOfKind(kind), kind]));
  const kinds = [...used.values()].toSorted(
    (left, right) =>
      compareLabels(left.code, right.code) || compareLabels(left.message, right.message),
  );
  return { kinds, numberOf: new Map(kinds.map((kind, number) => [keyOfKind(kind), number])) };
}

type NumberedKind = readonly [number: number, kind: FailureKind];

/** Kinds that its rows use: few, for one endpoint of very many. */
function usedKinds({ kinds, counts }: FailureTable): readonly NumberedKind[] {
  return Array.from(new Set(counts.kind), (number) => {
    const kind = kinds[number];
    if (kind === undefined) throw new Error(`BUG: failures have kind ${number} of ${kinds.length}`);
    return [number, kind];
  });
}

/** Returns an unambiguous text for each kind. */
export function keyOfKind({ code, message }: FailureKind): string {
  return `${code.length} ${code}${message}`;
}
