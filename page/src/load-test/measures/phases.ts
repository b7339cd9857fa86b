/** Phases of a request, one upon the other. */

import type { MeasureFacts } from "../../api/measures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import type { Values } from "../../charts/grid.ts";

/**
 * By their measures, in the order in which they pass. Of k6, blocked includes connecting, and the duration of a request is what
 * it sends, waits and receives.
 */
const PHASES: readonly (readonly [measure: string, name: string])[] = [
  ["blocked", "blocked, connecting"],
  ["tls", "TLS"],
  ["sending", "sending"],
  ["waiting", "waiting"],
  ["receiving", "receiving"],
];

/** Before and among them; decoders keep it, too. */
const CONNECT = "connect";

/** Whether a series has only averages per minute, each at the first second of its minute. */
export function hasOnlyMinutes({
  name,
  endpoint,
}: Pick<MeasureFacts, "name" | "endpoint">): boolean {
  return endpoint !== undefined && (name === CONNECT || PHASES.some(([phase]) => phase === name));
}

export interface Phase {
  readonly name: string;
  readonly series: MeasureFacts;
}

export function phasesOf(measures: readonly MeasureFacts[]): readonly Phase[] {
  const own = measures.filter(({ endpoint }) => endpoint !== undefined);
  const byName = new Map(own.map((series) => [series.name, series]));
  return PHASES.flatMap(([measure, name]) => {
    const series = byName.get(measure);
    return series === undefined ? [] : [{ name, series }];
  });
}

/** Areas from the beginning of each phase to its end, the last first; a gap where a phase is not known. */
export function stackedLines(
  phases: readonly { readonly name: string; readonly values: Values }[],
): readonly ChartLine[] {
  let floor: Values | undefined;
  const lines = phases.map(({ name, values }, index): ChartLine => {
    const below = floor ?? values.map((value) => value && 0);
    const top = values.map((value, at) => {
      const under = below[at] ?? null;
      return value === null || under === null ? null : value + under;
    });
    floor = top;
    const color = `--s${index + 1}`;
    return {
      // Unlike its text, so that its colour is beside it.
      name: `part ${name}`,
      text: name,
      values: top,
      downTo: below,
      part: values.map((value, at) => (top[at] === null ? null : value)),
      color,
      fill: color,
      textColor: "--ink2",
      width: 0,
    };
  });
  return lines.toReversed();
}
