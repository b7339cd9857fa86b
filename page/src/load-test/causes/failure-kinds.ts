/** Names of failure kinds, and when they occurred. */

import type { FailureKind, Failures } from "../../api/figures.ts";
import type { Values } from "../../charts/grid.ts";
import type { Stretch } from "../../charts/marks.ts";
import { spokenLabel } from "../../facets/facet-filter.ts";
import { count } from "../../format/numbers.ts";
import type { Range } from "../scope/range.ts";

/** Code and message of the load tool: `503 Service Unavailable`, `SocketException: Broken pipe`. */
export function kindName({ code, message }: Pick<FailureKind, "code" | "message">): string {
  const name = withoutSource(`${code} ${message}`.trim());
  return name === "" ? "(neither code nor message)" : name;
}

/**
 * Without what JMeter writes before the class and the message of each exception, and without its package. A success that failed
 * for no reason given failed an assertion.
 */
export function withoutSource(text: string): string {
  return text
    .replaceAll(/\bNon HTTP response (?:code|message): /g, "")
    .replace(/^(?:[a-z]\w*\.)+([A-Z]\w*) (?=\S)/, "$1: ")
    .replace(/^2\d\d(?: (?:OK|Created|Accepted|No Content))?$/, "$&, but failed an assertion");
}

/** A short name: the code, or the start of the message. */
export function shortKindName(name: string): string {
  const code = /^\d+(?= )/.exec(name)?.[0];
  return code ?? (name.length > SHORT_CHARACTERS ? `${name.slice(0, SHORT_CHARACTERS)}…` : name);
}

const SHORT_CHARACTERS = 20;

/** Time ranges in which kinds of this name occurred; adjacent ones are merged. */
export function stretchesOf(
  { kinds, resolution }: Pick<Failures, "kinds" | "resolution">,
  name: string,
): readonly Stretch[] {
  const own = kinds.filter((kind) => kindName(kind) === name);
  const seconds = own.flatMap(({ series }) => series.map(([second]) => second));
  const stretches: [number, number][] = [];
  for (const second of seconds.toSorted((one, other) => one - other)) {
    // Second 0: time unknown.
    if (second === 0) continue;
    const last = stretches.at(-1);
    if (last !== undefined && second <= last[1]) last[1] = second + resolution;
    else stretches.push([second, second + resolution]);
  }
  return stretches;
}

/** Failures of a kind in each of a number of equal parts of a range. */
export function overTime(series: FailureKind["series"], range: Range, parts: number): Values {
  const counts = Array.from({ length: parts }, () => 0);
  const length = (range.until - range.from) / parts;
  for (const [second, failed] of series) {
    if (second === 0) continue;
    const part = Math.floor((second - range.from) / length);
    // A window can begin before the range that cuts it.
    const within = part === -1 ? 0 : part;
    if (within in counts) counts[within] = (counts[within] ?? 0) + failed;
  }
  return counts;
}

/** The endpoints of a kind, the first `named` by label: `POST /cart, GET /cart and 16 more`. */
export function endpointsText(
  { endpoints, endpointCount }: Pick<FailureKind, "endpoints" | "endpointCount">,
  named: number,
): string {
  const labels = endpoints.slice(0, Math.max(named, endpointCount === 1 ? 1 : 0));
  const more = endpointCount - labels.length;
  if (labels.length === 0) return `${count(more)} endpoint${more === 1 ? "" : "s"}`;
  const text = labels.map(({ label }) => spokenLabel(label)).join(", ");
  return more === 0 ? text : `${text} and ${count(more)} more`;
}
