import { mergeUsers } from "../model/active-users.ts";
import { ALL_SECONDS, type SecondRange } from "../model/columns.ts";
import { type Snapshots, withSnapshot } from "../series/open-snapshot.ts";
import type { GeneratorUsers, Snapshot } from "../store/snapshot.ts";

/** A change of the number of active users; the seconds up to the next one keep it. */
export interface UserPoint {
  readonly second: number;
  readonly users: number;
}

/**
 * Reads the active users of all generators within `range`, by ascending second. A generator that reports its users keeps
 * the last number until the next one, up to its last second; one that reports arrivals and departures has in each second
 * those active at any moment of it. Throws `unknown-load-test`.
 */
export async function readUsers(
  points: Snapshots,
  { loadTestId, range }: { readonly loadTestId: string; readonly range: SecondRange },
): Promise<readonly UserPoint[]> {
  return withSnapshot(points, { loadTestId }, (snapshot) => usersOf(snapshot, range));
}

/** Those of a snapshot. */
export async function usersOf(
  snapshot: Snapshot,
  range: SecondRange,
): Promise<readonly UserPoint[]> {
  /** Changes of the number of users at the start of a second. */
  const steps = new Map<number, number>();
  // Reads everything: the number at the start of the range depends on earlier changes.
  for await (const generator of usersThatAddUp(snapshot)) addSteps(generator, steps);
  return cut(pointsOf(steps), range);
}

/**
 * Yields generators whose users add up. Sources of one named generator whose seconds overlap are of one machine: the
 * largest number of a second counts. Those of a nameless one may be of several, and add up except in the second in which
 * a file was split.
 */
export async function* usersThatAddUp(snapshot: Snapshot): AsyncGenerator<GeneratorUsers> {
  const spans: UserSpan[] = [];
  const hasSeveral = (await snapshot.sources()).length > 1;
  if (hasSeveral) {
    for await (const users of snapshot.users(ALL_SECONDS)) spans.push(...spansOf(users));
  }
  const byName = Map.groupBy(spans, ({ generator }) => generator);
  const splits = new Map(overlapsOf(byName.get("") ?? []).map((each) => [each.sourceId, each]));
  byName.delete("");
  const machines = byName.values().toArray().flatMap(machinesOf);
  const partsOf = new Map(
    machines.flatMap((machine) => {
      const parts: GeneratorUsers[] = [];
      return machine.map((span) => [keyOf(span), parts] as const);
    }),
  );
  for await (const users of snapshot.users(ALL_SECONDS)) {
    const parts = partsOf.get(keyOf(users));
    const split = users.generator === "" ? splits.get(users.sourceId) : undefined;
    if (parts !== undefined) parts.push(users);
    else yield split === undefined ? users : withoutOverlap(users, split);
  }
  for (const parts of new Set(partsOf.values())) yield* mergedParts(parts);
}

function keyOf({ sourceId, generator }: Pick<GeneratorUsers, "sourceId" | "generator">): string {
  return JSON.stringify([sourceId, generator]);
}

/** Groups of two or more sources that overlap. */
function machinesOf(spans: readonly UserSpan[]): readonly (readonly UserSpan[])[] {
  const machines: UserSpan[][] = [];
  let last = -1;
  for (const span of spans.toSorted((one, other) => one.first - other.first)) {
    if (span.first > last) machines.push([]);
    machines.at(-1)?.push(span);
    last = Math.max(last, span.last);
  }
  return machines.filter((machine) => machine.length > 1);
}

function* mergedParts(parts: readonly GeneratorUsers[]): Generator<GeneratorUsers> {
  const [first] = parts;
  if (first === undefined) return;
  const tables = parts.map(({ generator, ...counts }) => ({
    generators: [generator],
    counts: { ...counts, generator: new Uint32Array(counts.second.length) },
  }));
  const { sourceId, generator } = first;
  yield { ...mergeUsers(tables).counts, sourceId, generator };
}

function addSteps({ second, active, started, ended }: GeneratorUsers, steps: Map<number, number>) {
  let before = 0;
  for (let row = 0; row < second.length; row++) {
    const at = second[row] as number;
    const now = active[row] as number;
    addStep(steps, at, now - before + (started[row] as number));
    // A departing user was still active in this second.
    addStep(steps, at + 1, -(ended[row] as number));
    before = now;
  }
  const last = second.at(-1);
  if (last !== undefined) addStep(steps, last + 1, -before);
}

function addStep(steps: Map<number, number>, at: number, step: number): void {
  steps.set(at, (steps.get(at) ?? 0) + step);
}

function pointsOf(steps: ReadonlyMap<number, number>): UserPoint[] {
  const ordered = [...steps].toSorted(([left], [right]) => left - right);
  const points: UserPoint[] = [];
  let users = 0;
  for (const [second, step] of ordered) {
    users += step;
    if (users !== (points.at(-1)?.users ?? 0)) points.push({ second, users });
  }
  return points;
}

/** Returns the points within the range; the number before it becomes its first point. */
function cut(points: readonly UserPoint[], { from, until }: SecondRange): UserPoint[] {
  const first = points.findIndex(({ second }) => second >= from);
  const before = first < 0 ? points.at(-1) : points[first - 1];
  const within = points.filter(({ second }) => second >= from && second < until);
  const isHeld = before !== undefined && before.users > 0 && within[0]?.second !== from;
  return isHeld ? [{ second: from, users: before.users }, ...within] : within;
}

/** A second in which two parts of one file both report active users. */
interface UserOverlap {
  /** Of the later part; its first second is the shared one. */
  readonly sourceId: string;
  readonly second: number;
  /** The smaller of both numbers: users of the larger one. */
  readonly countedTwice: number;
}

/** First and last second in which a source reports active users. */
interface UserSpan extends Pick<GeneratorUsers, "sourceId" | "generator"> {
  readonly first: number;
  readonly firstUsers: number;
  readonly last: number;
  readonly lastUsers: number;
}

/** None for arrivals and departures: each part of a split file covers only its own. */
function spansOf({ sourceId, generator, second, active }: GeneratorUsers): readonly UserSpan[] {
  const [first, last] = [second[0], second.at(-1)];
  if (first === undefined || last === undefined || active.every((users) => users === 0)) return [];
  const [firstUsers, lastUsers] = [active[0] as number, active.at(-1) as number];
  return [{ sourceId, generator, first, firstUsers, last, lastUsers }];
}

/** Finds files that were split: a source begins in the second in which another ends. If more overlap, users differ. */
function overlapsOf(spans: readonly UserSpan[]): readonly UserOverlap[] {
  const overlaps: UserOverlap[] = [];
  const ends: { second: number; users: number }[] = [];
  for (const span of spans.toSorted(
    (one, other) => one.first - other.first || one.last - other.last,
  )) {
    const distance = ({ users }: { readonly users: number }) => Math.abs(users - span.firstUsers);
    const [end] = ends
      .filter(({ second }) => second === span.first)
      .toSorted((one, other) => distance(one) - distance(other));
    if (end === undefined) {
      ends.push({ second: span.last, users: span.lastUsers });
      continue;
    }
    const countedTwice = Math.min(end.users, span.firstUsers);
    overlaps.push({ sourceId: span.sourceId, second: span.first, countedTwice });
    end.users = span.first === span.last ? Math.max(end.users, span.lastUsers) : span.lastUsers;
    end.second = span.last;
  }
  return overlaps;
}

/** The later part without the users that the earlier one reports, too. */
function withoutOverlap(
  users: GeneratorUsers,
  { second: shared, countedTwice }: UserOverlap,
): GeneratorUsers {
  const active = users.active.with(0, (users.active[0] as number) - countedTwice);
  const next = shared + 1;
  if (users.second.length === 1 || users.second[1] === next) return { ...users, active };
  // The number of the shared second held until the next row.
  return {
    ...users,
    second: Uint32Array.from([shared, next, ...users.second.subarray(1)]),
    active: inserted(active, users.active[0] as number),
    started: inserted(users.started, 0),
    ended: inserted(users.ended, 0),
  };
}

function inserted(rows: Float64Array, added: number): Float64Array {
  return Float64Array.from([rows[0] as number, added, ...rows.subarray(1)]);
}
