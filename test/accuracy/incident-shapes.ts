/** Incidents of each kind in generated load tests: where they are found, and whether anything is found where there is none. */

import { anomaliesOf } from "../../src/analysis/findings/incidents.ts";
import type { Anomaly } from "../../src/api/findings.ts";
import { generatedSamples, type LoadTestShape, NOISES, START } from "./generated-load-tests.ts";
import { foundIn } from "./found-in.ts";

/** Ten minutes of 30 requests/s at four endpoints of different speed, 0.5 % of which fail. */
const BASE = { seconds: 600, requestsPerSecond: 30, endpoints: 4, failing: () => 0.005 } as const;

export interface IncidentKind {
  readonly shape: Partial<LoadTestShape>;
  /** Seconds since the start; absent: the whole run. */
  readonly at?: number;
  readonly until?: number;
  readonly kind: Anomaly["kind"];
  /** The endpoint that it is in, if not all. */
  readonly endpoint?: number;
}

const during = (from: number, until: number) => (second: number) =>
  second >= from && second < until;

export const INCIDENTS: Record<string, IncidentKind> = {
  "half of all requests fail for 20 s": {
    kind: "burst",
    at: 300,
    until: 320,
    shape: { failing: (second) => (during(300, 320)(second) ? 0.5 : 0.005) },
  },
  "one endpoint fails for 10 s": {
    kind: "burst",
    at: 300,
    until: 310,
    endpoint: 1,
    shape: {
      failing: (second, own) => (own === 1 && during(300, 310)(second) ? 1 : 0.005),
    },
  },
  "failures become ten times as frequent, to the end": {
    kind: "burst",
    at: 300,
    until: 600,
    shape: { failing: (second) => (second >= 300 ? 0.05 : 0.005) },
  },
  "an endpoint fails throughout": {
    kind: "failing",
    endpoint: 2,
    shape: { failing: (_, own) => (own === 2 ? 0.9 : 0.005) },
  },
  "all requests fail": { kind: "failing", shape: { failing: () => 1 } },
  "all requests wait for a freeze of 6 s": {
    kind: "step",
    at: 300,
    until: 306,
    shape: { slowdown: (second) => (during(300, 306)(second) ? (306 - second) * 20 : 1) },
  },
  "all requests wait for a freeze of 40 s": {
    kind: "step",
    at: 300,
    until: 340,
    shape: { slowdown: (second) => (during(300, 340)(second) ? (340 - second) * 20 : 1) },
  },
  "the fastest of four endpoints becomes three times as slow": {
    kind: "step",
    at: 300,
    endpoint: 0,
    shape: { slowdown: (second, own) => (own === 0 && second >= 300 ? 3 : 1) },
  },
  "all become twice as slow for three minutes": {
    kind: "step",
    at: 300,
    until: 480,
    shape: { slowdown: (second) => (during(300, 480)(second) ? 2 : 1) },
  },
  "all become slower, 1.8 times in ten minutes": {
    kind: "drift",
    shape: { slowdown: (second) => Math.exp((second / 600) * Math.log(1.8)) },
  },
};

/** At most so many seconds off. */
const EDGE_SECONDS = 10;

/** What is found in a seed: the incident, and what is neither it nor a symptom of it. */
export async function trialOf(
  { shape, kind, at, until, endpoint }: IncidentKind,
  noise: keyof typeof NOISES,
  seed: number,
): Promise<{ readonly isFound: boolean; readonly others: readonly Anomaly[] }> {
  const { incidents } = await foundIn(
    generatedSamples({ ...BASE, noise: NOISES[noise], seed, ...shape }),
  );
  const anomalies = anomaliesOf(incidents);
  const label = endpoint === undefined ? undefined : `endpoint ${endpoint}`;
  const isIt = (anomaly: Anomaly): boolean => {
    if (anomaly.kind !== kind) return false;
    if (at !== undefined && Math.abs(beginOf(anomaly) - START - at) > EDGE_SECONDS) return false;
    if (until !== undefined && Math.abs(endOf(anomaly) - START - until) > EDGE_SECONDS)
      return false;
    return label === undefined || ("endpoints" in anomaly && anomaly.endpoints[0]?.label === label);
  };
  return {
    isFound: anomalies.some(isIt),
    others: anomalies.filter((anomaly) => !isIt(anomaly)),
  };
}

export async function foundInNothing(
  noise: keyof typeof NOISES,
  seed: number,
): Promise<readonly Anomaly[]> {
  const samples = generatedSamples({ ...BASE, noise: NOISES[noise], seed });
  return anomaliesOf((await foundIn(samples)).incidents);
}

function beginOf(anomaly: Anomaly): number {
  return anomaly.kind === "step" ? anomaly.at : anomaly.from;
}

function endOf(anomaly: Anomaly): number {
  if (anomaly.kind !== "step") return anomaly.until + 1;
  return anomaly.backAt ?? START + BASE.seconds;
}
