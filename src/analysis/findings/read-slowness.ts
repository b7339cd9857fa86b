/** When requests took longer: steps, and spells of a few seconds, of all requests together and of single endpoints. */

import type { StepFinding } from "../../api/findings.ts";
import { paced } from "../../concurrency/yielder.ts";
import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";
import type { Endpoint } from "../../model/load-test.ts";
import type { SecondRange } from "../../model/columns.ts";
import { CountTable } from "../../series/count-table.ts";
import { aroundSpell, findSpells, isSpell } from "./find-spells.ts";
import { AT_A_STEP, SIDE_SECONDS, type Sureness } from "./find-step.ts";
import { type FindingsScope, named, readOne } from "./findings-scope.ts";
import type { EndpointSigns } from "./read-endpoints.ts";
import {
  describeSlowness,
  figuresOfSlowness,
  type ReadSeries,
  readStep,
  slowerEndpoints,
  type Slowness,
  type SlownessReading,
  slownessOf,
} from "./read-step.ts";

/** Of all requests, and of single endpoints: the largest. */
const FOUND_MAX = 5;

/** Endpoints whose distributions are searched, the most requests first. */
const ENDPOINTS_MAX = 50;

/** Endpoints that become slower within this time of each other share a cause. */
const TOGETHER_SECONDS = 15;

/** A few seconds hold few requests. */
const IN_A_SPELL: Sureness = { ...AT_A_STEP, requestsMin: 10 };

/** `sums` are those of the scope. Throws `sum-too-large`, `damaged-store`. */
export async function readSlowness(
  scope: FindingsScope,
  { all, span, sums, endpoints, bursts }: SlownessQuery,
): Promise<readonly StepFinding[]> {
  const step = await readStep(all, span);
  const found = step === undefined ? [] : [slownessOf(step)];
  found.push(...(await confirmedSpells(all, span, findSpells(sums), found)));
  const findings: StepFinding[] = [];
  for (const each of found.slice(0, FOUND_MAX)) {
    findings.push(await describeSlowness(scope, { read: all, span, bursts }, each));
  }
  if (endpoints.length > 1) {
    const ofOne = await slownessOfEndpoints(scope, { all, span, endpoints }, found);
    findings.push(...(await describeApart(scope, { span, bursts }, ofOne)));
  }
  return findings;
}

interface SlownessQuery extends Pick<SlownessReading, "span" | "bursts"> {
  /** All endpoints as one. */
  readonly all: ReadSeries;
  readonly sums: SumColumns;
  readonly endpoints: readonly EndpointSigns[];
}

async function confirmedSpells(
  read: ReadSeries,
  span: SecondRange,
  spells: readonly SecondRange[],
  known: readonly Slowness[],
): Promise<readonly Slowness[]> {
  const found: Slowness[] = [];
  for (const spell of spells) {
    if (known.some((each) => isTogether(each, spell))) continue;
    const around = aroundSpell(spell);
    const series = await read(
      { from: Math.max(around.from, span.from), until: Math.min(around.until, span.until) },
      1,
    );
    if (!isSpell(series, spell)) continue;
    found.push({ at: spell.from, until: spell.until, backAt: spell.until, sureness: IN_A_SPELL });
    if (found.length === FOUND_MAX) break;
  }
  return found;
}

/** Whether a range begins with a known slowness. One that begins later is slower still. */
function isTogether({ at }: Slowness, { from }: Pick<SecondRange, "from">): boolean {
  return from >= at - TOGETHER_SECONDS && from < at + SIDE_SECONDS;
}

interface SlowEndpoint {
  readonly endpoint: Endpoint;
  readonly slowness: Slowness;
}

async function slownessOfEndpoints(
  scope: FindingsScope,
  { all, span, endpoints }: Pick<SlownessQuery, "all" | "span" | "endpoints">,
  known: readonly Slowness[],
): Promise<readonly SlowEndpoint[]> {
  const suspects = endpoints
    .filter(({ mayStep, spells }) => mayStep || spells.length > 0)
    .toSorted((left, right) => right.count - left.count)
    .slice(0, ENDPOINTS_MAX);
  const found: SlowEndpoint[] = [];
  for await (const { endpoint, mayStep, spells } of paced(suspects)) {
    const read: ReadSeries = (range, windowSeconds) =>
      readOne(scope, endpoint, range, windowSeconds);
    const step = mayStep ? await readStep(read, span) : undefined;
    const own = step === undefined ? [] : [slownessOf(step)];
    own.push(...(await confirmedSpells(read, span, spells, [...known, ...own])));
    for (const slowness of own) {
      if (known.some((each) => isTogether(each, { from: slowness.at }))) continue;
      if (await isApart(all, span, read, slowness)) found.push({ endpoint, slowness });
    }
  }
  return found;
}

/** Whether all requests together change clearly less. A slowdown of all is not one of a single endpoint. */
async function isApart(
  readAll: ReadSeries,
  span: SecondRange,
  read: ReadSeries,
  { at, until }: Slowness,
): Promise<boolean> {
  const around = {
    from: Math.max(span.from, at - SIDE_SECONDS),
    until: Math.min(span.until, until),
  };
  const [own, all] = await Promise.all(
    [read, readAll].map(async (each) => medianRatio(await each(around, 1), at)),
  );
  return (all ?? 1) - 1 <= ((own ?? 1) - 1) / 2;
}

/** Median of the seconds from `at` on, relative to that before. */
function medianRatio(series: SeriesColumns, at: number): number {
  const table = new CountTable(series);
  const median = (range: SecondRange): number => Math.max(1, table.quantileMicros(range, 0.5));
  return median({ from: at, until: Infinity }) / median({ from: 0, until: at });
}

/** One for all endpoints that become slower together: with the figures of the one that is slowed down most. */
async function describeApart(
  scope: FindingsScope,
  { span, bursts }: Pick<SlownessReading, "span" | "bursts">,
  found: readonly SlowEndpoint[],
): Promise<readonly StepFinding[]> {
  const described: (StepFinding & Pick<SlowEndpoint, "slowness">)[] = [];
  for await (const { endpoint, slowness } of paced(found)) {
    const read: ReadSeries = (range, windowSeconds) =>
      readOne(scope, endpoint, range, windowSeconds);
    const of = named(endpoint);
    const figures = await figuresOfSlowness({ read, span, bursts }, slowness);
    described.push({ kind: "step", ...figures, of, endpoints: [of], slowness });
  }
  const together: typeof described = [];
  for (const each of described.toSorted((left, right) => ratioOf(right) - ratioOf(left))) {
    const at = together.findIndex((other) => Math.abs(other.at - each.at) <= TOGETHER_SECONDS);
    const other = together[at];
    if (other === undefined) together.push(each);
    else together[at] = { ...other, endpoints: [...other.endpoints, ...each.endpoints] };
  }
  const findings: StepFinding[] = [];
  for (const { slowness, ...each } of together.slice(0, FOUND_MAX)) {
    // Others may be slower in the same seconds by less than makes a finding.
    const slower = await slowerEndpoints(scope, span, slowness);
    const known = new Set(each.endpoints.map(({ label }) => label));
    const others = slower.filter(({ label }) => !known.has(label));
    findings.push({ ...each, endpoints: [...each.endpoints, ...others] });
  }
  return findings;
}

function ratioOf({ p95Before, p95After }: StepFinding): number {
  return p95After / p95Before;
}
