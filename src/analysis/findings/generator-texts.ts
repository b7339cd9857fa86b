/** What load generators did not do, in sentences: after them nothing follows but their figures. */

import type { GeneratorFinding, OmissionFinding } from "../../api/findings.ts";

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

export function generatorText({ busy, droppedIterations, iterations }: GeneratorFinding): string {
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
