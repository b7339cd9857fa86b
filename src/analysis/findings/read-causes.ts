/** What the server knows of the cause of an incident: an event just before it, and what was measured of hosts and moved as it began. */

import type { IncidentCause, MovedMeasure } from "../../api/findings.ts";
import { paced } from "../../concurrency/yielder.ts";
import { medianOf, type SecondRange } from "../../model/columns.ts";
import { decimalOf } from "../../model/measures/decimal-sum.ts";
import { hostTagOf } from "../../model/measures/host-tag.ts";
import type { LoadTestEvent } from "../../model/measures/load-test-events.ts";
import type { MeasureSeries, MeasureTable } from "../../model/measures/measure-table.ts";
import { asCounter } from "../../model/measures/totals.ts";
import type { Snapshot } from "../../store/snapshot.ts";
import { isOfGenerator, isTotal } from "./read-generator.ts";

/** More in a sentence would be a list. */
const CAUSES_MAX = 2;

/** Measures in a list. */
const MOVED_MAX = 8;

/** How long before an incident an event may be, and after it, as its begin is not known exactly. */
const EVENT_SECONDS = { before: 30, after: 3 } as const;

/** Seconds of measures before the incident, and from its begin on, that are compared. */
const COMPARED_SECONDS = 60;

/** How long before or after the begin of an incident a measure may move. */
const LAG_SECONDS = 10;

/** Values from before the incident, and from within it. */
const VALUES_MIN = { before: 5, during: 2 } as const;

/** Of what is usual: smaller moves are left out, and of a percentage those of fewer points. */
const MOVE_MIN = 0.2;
const POINTS_MIN = 10;

/** A move is so many times as large as the usual deviations. */
const DEVIATIONS_MIN = 3;

/** Series that are read. */
const SERIES_MAX = 500;

interface IncidentPlace extends SecondRange {
  /** Labels; none: all. */
  readonly labels: readonly string[];
  /** From the first request until after the last: measures before and after say nothing about it. */
  readonly run: SecondRange;
}

/** Seconds whose measures are read. */
type Around = SecondRange & Pick<IncidentPlace, "run">;

interface IncidentCauses {
  /** At most two, strongest first. */
  readonly causes: readonly IncidentCause[];
  /** At most eight, strongest first. */
  readonly moved?: readonly MovedMeasure[];
}

/** Throws `damaged-store`, `sum-too-large`. */
export async function readCauses(
  snapshot: Snapshot,
  place: IncidentPlace,
): Promise<IncidentCauses> {
  const event = eventBefore(snapshot.loadTest.events ?? [], place);
  const hosts = await readMoved(snapshot, place);
  const all = [...(event === undefined ? [] : [event]), ...causesIn(hosts)];
  const moved = movedIn(hosts);
  return { causes: all.slice(0, CAUSES_MAX), ...(moved.length > 0 && { moved }) };
}

/** The last one before the incident. */
function eventBefore(
  events: readonly LoadTestEvent[],
  { from, labels }: IncidentPlace,
): IncidentCause | undefined {
  const found = events.findLast(({ atMs, endpoint }) => {
    const before = from - atMs / 1000;
    const isHere = endpoint === undefined || labels.length === 0 || labels.includes(endpoint);
    return isHere && before <= EVENT_SECONDS.before && before >= -EVENT_SECONDS.after;
  });
  if (found === undefined) return undefined;
  const secondsBefore = Math.round(from - found.atMs / 1000);
  const text = `${secondsBefore > 0 ? `${secondsBefore} s after` : "at the time of"} ${found.text}`;
  return { kind: "event", secondsBefore, text };
}

interface Move extends Pick<MeasureSeries, "name" | "tags"> {
  readonly kind: "measure" | "silence";
  readonly secondsBefore: number;
  /** What follows the host in the sentence; empty for a silence. */
  readonly text: string;
  /** Of a silence: `20 s`. */
  readonly length: string;
  /** How telling it is. */
  readonly score: number;
}

type MovesByHost = ReadonlyMap<string, readonly (Move | undefined)[]>;

/** Of each measure of a host, how it moved, if it did. */
async function readMoved(
  snapshot: Snapshot,
  { from, until, run }: IncidentPlace,
): Promise<MovesByHost> {
  const { series } = await snapshot.measureIndex();
  const own = series.filter((each) => hostOf(each) !== undefined).slice(0, SERIES_MAX);
  if (own.length === 0) return new Map();
  const around: Around = {
    run,
    from: Math.max(run.from, from - COMPARED_SECONDS),
    until: Math.min(Math.max(until, from + LAG_SECONDS), from + COMPARED_SECONDS, run.until),
  };
  const hosts = new Map<string, (Move | undefined)[]>();
  for await (const read of paced(snapshot.measures(own, around))) {
    const table = asCounter(read);
    const [measured] = table.series;
    const host = measured && hostOf(measured);
    if (host === undefined || table.sums.second.length === 0) continue;
    const moves = hosts.get(host) ?? [];
    hosts.set(host, moves);
    moves.push(moveIn(table, from, around));
  }
  return hosts;
}

/** What moved most at each host; what else moved there is mostly a consequence. */
function causesIn(hosts: MovesByHost): readonly IncidentCause[] {
  return [...hosts]
    .flatMap(([host, moves]) => {
      const most = mostTelling(moves);
      return most === undefined ? [] : [{ host, ...most }];
    })
    .toSorted((left, right) => right.score - left.score)
    .map(({ host, kind, secondsBefore, text }) => ({
      kind,
      secondsBefore,
      text: `${host} ${text}`,
    }));
}

function movedIn(hosts: MovesByHost): readonly MovedMeasure[] {
  const moves = [...hosts].flatMap(([host, own]) =>
    own.flatMap((move) =>
      move?.kind === "measure" ? [{ ...move, text: `${host} ${move.text}` }] : [],
    ),
  );
  return moves
    .toSorted((left, right) => right.score - left.score)
    .slice(0, MOVED_MAX)
    .map(({ name, tags, text }) => ({ name, tags: Object.fromEntries(tags), text }));
}

/** A silent host matters more than a single measure that stops. */
function mostTelling(moves: readonly (Move | undefined)[]): Move | undefined {
  const known = moves.filter((each) => each !== undefined);
  const silent = known.filter(({ kind }) => kind === "silence").length;
  const scored = known.map((each) => {
    if (each.kind !== "silence") return each;
    const others = silent === 1 ? "" : ` and ${silent - 1} more`;
    const what = silent === moves.length ? "nothing" : `no ${each.name}${others}`;
    const text = `sent ${what} for ${each.length}`;
    return { ...each, text, score: (each.score * silent) / moves.length };
  });
  return scored.toSorted((left, right) => right.score - left.score)[0];
}

/** `undefined` of measures of requests and of the load tool's own. */
function hostOf({ label, kind, tags }: MeasureSeries): string | undefined {
  const isValue = kind === "gauge" || kind === "counter";
  if (label !== undefined || !isValue || !isTotal(tags)) return undefined;
  const host = hostTagOf(tags)?.[1];
  return host !== undefined && isOfGenerator(tags) ? `load generator ${host}` : host;
}

interface Values {
  readonly second: readonly number[];
  readonly value: readonly number[];
  /** Seconds from one to the next. */
  readonly stepSeconds: number;
}

/** Of a gauge as they came; of a counter per second, in windows: what did not come was 0. */
function valuesOf({ series: [series], sums }: MeasureTable, around: SecondRange): Values {
  const second = Array.from(sums.second);
  const gaps = Float64Array.from(second.slice(1), (each, row) => each - (second[row] as number));
  const stepSeconds = medianOf(gaps) ?? 1;
  const read = second.map((_, row) => decimalOf(sums, row));
  if (series?.kind !== "counter") {
    return {
      second,
      value: read.map((sum, row) => sum / (sums.count[row] as number)),
      stepSeconds,
    };
  }
  const window = Math.max(COUNTER_SECONDS, Math.ceil(2 * Math.min(stepSeconds, COUNTER_SECONDS)));
  const begins = Array.from(
    { length: Math.floor((around.until - around.from) / window) },
    (_, at) => around.from + at * window,
  );
  const value = begins.map(() => 0);
  for (const [row, sum] of read.entries()) {
    const at = Math.floor(((second[row] as number) - around.from) / window);
    if (at < value.length) value[at] = (value[at] as number) + sum / window;
  }
  return { second: begins, value, stepSeconds: window };
}

const COUNTER_SECONDS = 5;

function moveIn(table: MeasureTable, begin: number, around: Around): Move | undefined {
  const [series] = table.series;
  if (series === undefined) return undefined;
  const values = valuesOf(table, around);
  return silenceIn(series, values, begin, around) ?? jumpIn(series, values, begin);
}

const SILENT_SECONDS = 3;

/** Scores: a busy processor ranks first, then a host that hangs, then what moved furthest beyond its usual deviations. */
const SCORES = { busy: 200, silent: 100, movedMax: 50 } as const;
const BUSY_PERCENT = 80;

/** Values that stop to come as the incident begins, as those of a host that hangs. */
function silenceIn(
  { kind, name, tags }: MeasureSeries,
  { second, stepSeconds }: Values,
  begin: number,
  { until, run }: Around,
): Move | undefined {
  if (kind === "counter" || second.length < VALUES_MIN.before) return undefined;
  const longest = stepSeconds + Math.max(SILENT_SECONDS, 2 * stepSeconds);
  const ends = [...second.slice(1), until];
  const at = second.findIndex(
    (each, row) => (ends[row] as number) - each > longest && Math.abs(each - begin) <= LAG_SECONDS,
  );
  const last = second[at];
  if (last === undefined) return undefined;
  const seconds = (ends[at] as number) - last - stepSeconds;
  const secondsBefore = begin - last - stepSeconds;
  // What comes later is not read.
  const isCut = at === second.length - 1 && until < run.until;
  const length = `${isCut ? "at least " : ""}${seconds} s`;
  return { kind: "silence", name, tags, secondsBefore, text: "", length, score: SCORES.silent };
}

function jumpIn(
  series: MeasureSeries,
  { second, value, stepSeconds }: Values,
  begin: number,
): Move | undefined {
  const usual = value.filter(
    (_, row) => (second[row] as number) + stepSeconds <= begin - LAG_SECONDS / 2,
  );
  const since = value.filter((_, row) => (second[row] as number) >= begin);
  if (usual.length < VALUES_MIN.before || since.length < VALUES_MIN.during) return undefined;
  const [before, during] = [middleOf(usual), middleOf(since)];
  const largeness = largenessOf(series, usual, { before, during });
  if (largeness === 0) return undefined;
  const first = value.findIndex(
    (each, row) =>
      (second[row] as number) >= begin - LAG_SECONDS && (each - before) / (during - before) >= 0.5,
  );
  const secondsBefore = begin - (second[first] ?? Infinity);
  if (secondsBefore < -LAG_SECONDS / 2 - stepSeconds) return undefined;
  const isBusy = isPercent(series) && during >= BUSY_PERCENT;
  return {
    kind: "measure",
    name: series.name,
    tags: series.tags,
    secondsBefore,
    length: "",
    text: jumpText(series, { before, during }, secondsBefore),
    score: isBusy ? SCORES.busy : Math.min(SCORES.movedMax, largeness),
  };
}

interface Levels {
  readonly before: number;
  readonly during: number;
}

/** How clearly a measure moved, in usual deviations; 0: not clearly, or as it does when fewer requests come. */
function largenessOf(series: MeasureSeries, usual: readonly number[], levels: Levels): number {
  const { before, during } = levels;
  const deviations = usual.map((each) => Math.abs(each - before)).toSorted((one, two) => one - two);
  const deviation = deviations[Math.floor(0.9 * deviations.length)] ?? 0;
  const [less = 0, more = 0] = [before, during].map(Math.abs).toSorted((one, two) => one - two);
  const size = Math.abs(during - before);
  const sizeMin = Math.max(MOVE_MIN * less, isPercent(series) ? POINTS_MIN : 0);
  if (size <= DEVIATIONS_MIN * deviation || size < sizeMin) return 0;
  const isExpected = during < before === SPARE.test(series.name);
  return isExpected ? size / (deviation + more / 50) : 0;
}

/** What is left of something: it falls. */
const SPARE = /idle|free|avail/i;

function middleOf(values: readonly number[]): number {
  return medianOf(Float64Array.from(values)) ?? 0;
}

function isPercent({ name, unit }: MeasureSeries): boolean {
  return unit === "%" || /percent|^cpu\.usage_/.test(name);
}

/** `cpu.usage_active 39 to 93 %, 2 s before` */
function jumpText(series: MeasureSeries, levels: Levels, secondsBefore: number): string {
  const isBytes = series.unit === "By";
  const [from, to] = [levels.before, levels.during].map((each) =>
    Number((isBytes ? each / 1e6 : each).toPrecision(3)).toLocaleString("en-US"),
  );
  const named = isPercent(series) ? "%" : series.unit.replace(/^1$/, "");
  const unit = `${isBytes ? "MB" : named}${series.kind === "counter" ? "/s" : ""}`;
  const side = secondsBefore > 0 ? "before" : "after";
  const lag = secondsBefore === 0 ? "" : `, ${Math.abs(secondsBefore)} s ${side}`;
  return `${series.name} ${from} to ${to}${unit === "" ? "" : ` ${unit}`}${lag}`;
}
