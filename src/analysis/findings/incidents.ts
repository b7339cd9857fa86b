/** Findings that belong together are one incident: what happened, and its symptoms. */

import type { Anomaly, Incident } from "../../api/findings.ts";
import type { SecondRange } from "../../model/columns.ts";

/** What begins so soon after the end of a finding touches it. */
export const TOUCHING_SECONDS = 5;

/** Of a step that lasts: what begins later is of its own. */
const OPEN_STEP_SECONDS = 300;

/** An incident whose causes are not yet known. */
export interface Symptoms extends SecondRange {
  /** What happened, then its symptoms. */
  readonly findings: readonly [Anomaly, ...Anomaly[]];
}

/** Findings by the incident that they are of, by begin. */
export function incidentsOf(anomalies: readonly Anomaly[]): readonly Symptoms[] {
  const groups: Anomaly[][] = [];
  for (const anomaly of anomalies.filter((each) => !isAlone(each))) {
    const near = groups.filter((group) => group.some((each) => isTogether(each, anomaly)));
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push([...near.flat(), anomaly]);
  }
  const incidents = groups.map(symptomsOf);
  const alone = anomalies.filter(isAlone).filter((anomaly) => {
    // A load generator at its limit is part of what happens meanwhile.
    const place = secondsOf(anomaly);
    const at =
      anomaly.kind === "generator" ? incidents.findIndex((each) => touches(each, place)) : -1;
    const found = incidents[at];
    if (found !== undefined) incidents[at] = { ...found, findings: [...found.findings, anomaly] };
    return found === undefined;
  });
  return [...incidents, ...alone.map((each) => symptomsOf([each]))].toSorted(
    (left, right) => left.from - right.from,
  );
}

export function anomaliesOf(incidents: readonly Pick<Incident, "findings">[]): readonly Anomaly[] {
  return incidents.flatMap(({ findings }) => findings);
}

/** What concerns the whole run is no part of an incident within it. */
function isAlone({ kind }: Anomaly): boolean {
  return kind === "failing" || kind === "drift" || kind === "generator";
}

function symptomsOf(group: readonly Anomaly[]): Symptoms {
  const [first, ...others] = group.toSorted(
    (left, right) =>
      RANKS.indexOf(left.kind) - RANKS.indexOf(right.kind) || lengthOf(right) - lengthOf(left),
  );
  if (first === undefined) throw new Error("BUG: an incident without findings");
  const all = group.map(secondsOf);
  const from = Math.min(...all.map((each) => each.from));
  return { from, until: Math.max(...all.map(({ until }) => until)), findings: [first, ...others] };
}

/** The most likely cause first. */
const RANKS = ["failing", "step", "burst", "drift", "drop", "omission", "generator"];

function lengthOf(anomaly: Anomaly): number {
  const { from, until } = secondsOf(anomaly);
  return until - from;
}

/** Half open. */
function secondsOf(anomaly: Anomaly): SecondRange {
  if (anomaly.kind === "step") {
    return { from: anomaly.at, until: anomaly.backAt ?? anomaly.at + OPEN_STEP_SECONDS };
  }
  const { from, until } = anomaly.kind === "omission" ? (anomaly.stalls[0] ?? anomaly) : anomaly;
  return { from, until: until + 1 };
}

function isTogether(one: Anomaly, other: Anomaly): boolean {
  return touches(secondsOf(one), secondsOf(other)) && shareEndpoints(one, other);
}

function touches(one: SecondRange, other: SecondRange): boolean {
  return one.from <= other.until + TOUCHING_SECONDS && other.from <= one.until + TOUCHING_SECONDS;
}

function shareEndpoints(one: Anomaly, other: Anomaly): boolean {
  const [own, others] = [labelsOf(one), labelsOf(other)];
  return own.length === 0 || others.length === 0 || own.some((label) => others.includes(label));
}

/** None: all endpoints. */
export function labelsOf(anomaly: Anomaly): readonly string[] {
  return "endpoints" in anomaly ? anomaly.endpoints.map(({ label }) => label) : [];
}
