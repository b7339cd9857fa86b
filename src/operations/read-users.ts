import { ALL_SECONDS, type SecondRange } from "../model/second-range.ts";
import type { GeneratorUsers } from "../store/store.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";

/**
 * Active users of a load test over all its generators, where the number changes: ascending by second,
 * and a second in between has the number of the point before.
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
 * Reads the active users within `range`. A generator that tells its users keeps the last number until
 * it tells another one, up to the last second it tells of; one that tells who came and went has in
 * each second those who were active at any moment of it. Throws `unknown-load-test`.
 */
export async function readUsers(
  points: Snapshots,
  { loadTestId, range }: { readonly loadTestId: string; readonly range: SecondRange },
): Promise<UserSeries> {
  const snapshot = await openSnapshot(points, loadTestId);
  try {
    /** By how much the number of users changes at the begin of a second. */
    const steps = new Map<number, number>();
    // All of it: how many are active at the begin of the range depends on what was before.
    for await (const generator of snapshot.users(ALL_SECONDS)) addSteps(generator, steps);
    return { revision: snapshot.revision, points: cut(pointsOf(steps), range) };
  } finally {
    snapshot.release();
  }
}

function addSteps({ second, active, started, ended }: GeneratorUsers, steps: Map<number, number>) {
  const add = (at: number, step: number) => steps.set(at, (steps.get(at) ?? 0) + step);
  let before = 0;
  for (let row = 0; row < second.length; row++) {
    const at = second[row] as number;
    const now = active[row] as number;
    add(at, now - before + (started[row] as number));
    // Who leaves was active in this second still.
    add(at + 1, -(ended[row] as number));
    before = now;
  }
  const last = second.at(-1);
  if (last !== undefined) add(last + 1, -before);
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

/** The points within the range; what held before it stands at its begin. */
function cut(points: readonly UserPoint[], { from, until }: SecondRange): UserPoint[] {
  const first = points.findIndex(({ second }) => second >= from);
  const before = first < 0 ? points.at(-1) : points[first - 1];
  const within = points.filter(({ second }) => second >= from && second < until);
  const isHeld = before !== undefined && before.users > 0 && within[0]?.second !== from;
  return isHeld ? [{ second: from, users: before.users }, ...within] : within;
}
