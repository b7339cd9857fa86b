import { askMeasures, askMeasureSeries } from "../../api/measures.ts";
import type { Range } from "../scope/range.ts";
import { groupsOf } from "./measure-groups.ts";
import { type Moved, movedOf } from "./moved.ts";
import { hasOnlyMinutes } from "./phases.ts";

/** Intervals requested of each measure. */
const INTERVALS_MAX = 400;
/** More measures are not looked at. */
const NAMES_MAX = 50;

interface MovedRequest {
  /** Of the load test. */
  readonly id: string;
  /** Endpoints whose measures are included, with those of the entire load test; empty: all. */
  readonly hashes: readonly string[];
  readonly before: Range;
  readonly during: Range;
  /** Of the windows of measures: one that is in both ranges is in neither. */
  readonly grainSeconds: number;
}

export interface MovedTogether {
  /** See `movedOf`. */
  readonly moved: readonly Moved[];
  /** Names of measures that were looked at, of all. */
  readonly examined: number;
  readonly names: number;
}

/** Requests the measures that moved between two ranges, `before` ending where `during` begins. */
export async function askMoved(request: MovedRequest, signal: AbortSignal): Promise<MovedTogether> {
  const { id, hashes, grainSeconds } = request;
  const up = (second: number) => Math.ceil(second / grainSeconds) * grainSeconds;
  const begin = request.before.from - (request.before.from % grainSeconds);
  const border = request.before.until - (request.before.until % grainSeconds);
  const before = { from: begin, until: border };
  const during = { from: up(request.during.from), until: up(request.during.until) };
  const isEmpty = [before, during].some(({ from, until }) => from >= until);
  if (isEmpty) return { moved: [], examined: 0, names: 0 };
  const measures = await askMeasures(id, signal);
  // A minute may be before the incident and in it.
  const groups = groupsOf(
    measures.filter((measure) => !hasOnlyMinutes(measure)),
    hashes,
  );
  const keys = new Set(groups.flatMap(({ series }) => series.map(({ key }) => key)));
  const all = [...new Set(groups.map(({ name }) => name))];
  const names = all.slice(0, NAMES_MAX);
  const range = { from: before.from, until: during.until };
  const resolution = up((range.until - range.from) / INTERVALS_MAX);
  const answers = await Promise.all(
    names.map((name) =>
      askMeasureSeries({ id, ...range }, { name, hash: undefined }, resolution, signal),
    ),
  );
  const own = answers.flat().filter(({ key }) => keys.has(key));
  return { moved: movedOf(own, before, during), examined: names.length, names: all.length };
}
