/** Anomalies in sentences. */

import type {
  Anomaly,
  BurstFinding,
  DriftFinding,
  DropFinding,
  FailingFinding,
  GeneratorFinding,
  Incident,
  NamedEndpoint,
  OmissionFinding,
  StepFinding,
} from "../../api/findings.ts";

/** What happened with what is known of its cause, then a line per symptom. Labels and messages are as recorded. */
export function incidentTexts({
  findings: [first, ...symptoms],
  causes,
}: Incident): readonly string[] {
  if (first === undefined) return [];
  const known = causes.map(({ text }) => text);
  return [[anomalyText(first), ...known].join("; "), ...symptoms.map(anomalyText)];
}

/** Labels and messages are as recorded. */
function anomalyText(anomaly: Anomaly): string {
  switch (anomaly.kind) {
    case "step":
      return stepText(anomaly);
    case "burst":
      return burstText(anomaly);
    case "failing":
      return failingText(anomaly);
    case "drop":
      return dropText(anomaly);
    case "drift":
      return driftText(anomaly);
    case "omission":
      return omissionText(anomaly);
    case "generator":
      break;
  }
  return generatorText(anomaly);
}

function stepText(step: StepFinding): string {
  const { at, p95Before, p95After, backAt, endpoints, facets } = step;
  const [before, after] = [p95Before, p95After].map(secondsText);
  const ratio = (p95After / p95Before).toFixed(1);
  const back = backAt === undefined ? "" : ` and is back at ${dateOf(backAt)}`;
  const of = step.of === undefined ? "" : ` of ${step.of.label}`;
  return (
    `p95${of} rises from ${before} to ${after} (×${ratio}) at ${dateOf(at)}${back}` +
    (endpoints.length === 1 && step.of !== undefined ? "" : endpointsText(endpoints)) +
    facetsText(facets)
  );
}

function burstText(burst: BurstFinding): string {
  const { from, until, errCount, allErrCount, failure, endpoints } = burst;
  const why = failure ? `: ${`${failure.code} ${failure.message}`.trim()}` : "";
  const of = burst.of === undefined ? "" : ` of ${burst.of.label}`;
  const where = of === "" ? endpointsText(endpoints) : "";
  return (
    `${errCount} of ${allErrCount} failures${of} from ${dateOf(from)} to ${dateOf(until)}` +
    `${why}${where}${facetsText(burst.facets)}`
  );
}

function facetsText(facets: StepFinding["facets"] = []): string {
  const which = facets.map(({ name, value }) => `${name} ${value}`);
  return which.length === 0 ? "" : `; only ${which.join(", ")}`;
}

function endpointsText([most, ...others]: StepFinding["endpoints"]): string {
  if (most === undefined) return "";
  const { label } = most;
  return others.length === 0 ? `; ${label}` : `; ${others.length + 1} endpoints, ${label} most`;
}

/** `GET /pay fails throughout: 300 of 300 requests`. */
function failingText({ count, errCount, isAll, endpointCount, endpoints }: FailingFinding): string {
  const requests = `${errCount.toLocaleString("en-US")} of ${count.toLocaleString("en-US")} requests`;
  if (isAll && endpointCount > 1)
    return `all ${endpointCount} endpoints fail throughout: ${requests}`;
  const verb = endpointCount === 1 ? "fails" : "fail";
  return `${endpointNames(endpoints, endpointCount)} ${verb} throughout: ${requests}`;
}

/** `throughput falls from 80 to 12 requests/s between 14:20:05 and 14:20:31 UTC, with 40 users still active`. */
function dropText({ from, until, reqPerSecBefore, reqPerSec, users }: DropFinding): string {
  const [before, meanwhile] = [reqPerSecBefore, reqPerSec].map((each) =>
    Number(each.toPrecision(3)).toLocaleString("en-US"),
  );
  const times = [from, until + 1].map(timeOf).join(" and ");
  return `throughput falls from ${before} to ${meanwhile} requests/s between ${times} UTC, with ${users} users still active`;
}

/** `p95 rises slowly from 120 ms to 210 ms (×1.8) between 14:20:00 and 15:20:00 UTC, under steady load`. */
function driftText({ from, until, p95Before, p95After }: DriftFinding): string {
  const ratio = (p95After / p95Before).toFixed(1);
  const times = [from, until + 1].map(timeOf).join(" and ");
  return `p95 rises slowly from ${secondsText(p95Before)} to ${secondsText(p95After)} (×${ratio}) between ${times} UTC, under steady load`;
}

function endpointNames([first, ...others]: readonly NamedEndpoint[], count: number): string {
  if (others.length === 0) return first?.label ?? "";
  return count === 2
    ? `${first?.label} and ${others[0]?.label}`
    : `${first?.label} and ${count - 1} more endpoints`;
}

/** `about 600 requests were not sent between 14:20:05 and 14:20:11 UTC, as the load generator waited: p95 is 122 ms as recorded, at least 29.9 s with them`. */
export function omissionText({ from, until, stalls, ...percentiles }: OmissionFinding): string {
  const requests = stalls.reduce((sum, each) => sum + each.requests, 0);
  const isLate = stalls.every((each) => each.isLate);
  const what = isLate ? "sent late" : "not sent";
  const times = [from, until + 1].map(timeOf);
  const more = stalls.length === 1 ? "" : `, and ${stalls.length - 1} more times`;
  const { p95, p95AtLeast, p99, p99AtLeast } = percentiles;
  const figures = [
    `p95 is ${secondsText(p95)} as recorded, at least ${secondsText(p95AtLeast)} from when requests were due`,
    `p99 ${secondsText(p99)} and ${secondsText(p99AtLeast)}`,
  ];
  return (
    `during ${times.join(" to ")} UTC the load generator waited${more}: about ${requests.toLocaleString("en-US")} requests ` +
    `were ${what}, and percentiles understate it; ${figures.join(", ")}`
  );
}

function generatorText({ busy, droppedIterations, iterations }: GeneratorFinding): string {
  const due = droppedIterations + iterations;
  const share = ((100 * droppedIterations) / due).toPrecision(2);
  const [first, ...others] = busy;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return [
    "the load generator was at its limit",
    ...(first === undefined
      ? []
      : [`CPU of ${first.of}${more} above 90 % for ${first.seconds} s, up to ${first.percent} %`]),
    ...(droppedIterations === 0
      ? []
      : [
          `${droppedIterations.toLocaleString("en-US")} of ${due.toLocaleString("en-US")} iterations (${Number(share)} %) dropped`,
        ]),
  ].join("; ");
}

function dateOf(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function timeOf(second: number): string {
  return new Date(second * 1000).toISOString().slice(11, 19);
}

/** `122 ms`, `29.9 s`. */
function secondsText(seconds: number | null): string {
  if (seconds === null) return "unknown";
  return seconds < 1
    ? `${Number((seconds * 1000).toPrecision(3))} ms`
    : `${Number(seconds.toPrecision(3))} s`;
}
