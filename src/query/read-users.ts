import { ALL_SECONDS, type SecondRange } from "../model/second-range.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import type { GeneratorUsers } from "../store/snapshot.ts";

/**
 * Active users of a load test over all generators, as changes: ascending by second; seconds in between keep
 * the number of the previous point.
 */
export interface UserSeries {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly points: readonly UserPoint[];
}

interface UserPoint {
  readonly second: number;
  readonly users: number;
}

/**
 * Reads the active users within `range`. A generator that reports its users keeps the last number until the
 * next one, up to its last second; one that reports arrivals and departures has in each second those active
 * at any moment of it. Sources add up, except in the second in which a file was split. Throws
 * `unknown-load-test`.
 */
export async function readUsers(
  points: Snapshots,
  { loadTestId, range }: { readonly loadTestId: string; readonly range: SecondRange },
): Promise<UserSeries> {
  const snapshot = await openSnapshot(points, loadTestId);
  try {
    /** Changes of the number of users at the start of a second. */
    const steps = new Map<number, number>();
    const spans = new Map<string, UserSpan[]>();
    // Reads everything: the number at the start of the range depends on earlier changes.
    for await (const generator of snapshot.users(ALL_SECONDS)) {
      addSteps(generator, steps);
      const span = spanOf(generator);
      if (span === undefined) continue;
      const own = spans.get(generator.generator);
      if (own === undefined) spans.set(generator.generator, [span]);
      else own.push(span);
    }
    for (const own of spans.values()) joinParts(own, steps);
    return { revision: snapshot.revision, points: cut(pointsOf(steps), range) };
  } finally {
    snapshot.release();
  }
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

/** First and last second in which a source reports active users. */
interface UserSpan {
  readonly first: number;
  readonly firstUsers: number;
  readonly last: number;
  readonly lastUsers: number;
}

/** `undefined` for arrivals and departures: each part of a split file covers only its own. */
function spanOf({ second, active }: GeneratorUsers): UserSpan | undefined {
  const [first, last] = [second[0], second.at(-1)];
  if (first === undefined || last === undefined || active.every((users) => users === 0)) {
    return undefined;
  }
  return { first, firstUsers: active[0] as number, last, lastUsers: active.at(-1) as number };
}

/**
 * Subtracts the smaller number from `steps`, which hold the sum, if one source of a generator begins in the
 * second in which another one ends: they are parts of one file that was split in that second, and the larger
 * number counts. Sources that share more seconds are different users.
 */
function joinParts(spans: readonly UserSpan[], steps: Map<number, number>): void {
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
    const smaller = Math.min(end.users, span.firstUsers);
    addStep(steps, span.first, -smaller);
    addStep(steps, span.first + 1, smaller);
    end.users = span.first === span.last ? Math.max(end.users, span.lastUsers) : span.lastUsers;
    end.second = span.last;
  }
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
