/** Processor, memory and network by host, of the measures that usual agents send. */

import { hostTagOf } from "../../../../src/model/measures/host-tag.ts";
import { type MeasureFacts, selectorOf } from "../../api/measures.ts";
import type { MeasureGroup, MeasureLine } from "./measure-groups.ts";
import { shownUnit } from "./measure-values.ts";

/** A measure that fits a chart, and the series of it that do. */
interface Candidate {
  readonly name: RegExp;
  /** Where series have the tag, those with one of these values. */
  readonly where?: readonly [tag: string, value: string];
  /** What is drawn is the rest up to this: the processor is busy where it is not idle. */
  readonly restOf?: number;
  /** @default that of the chart */
  readonly title?: string;
}

/**
 * The first candidate that was measured is drawn. Telegraf: cpu, mem, net; OpenTelemetry Collector: system.*; node exporter:
 * node_*. Idle seconds of a processor per second are its idle share.
 */
const CHARTS: readonly (readonly [name: string, candidates: readonly Candidate[]])[] = [
  [
    "CPU by host",
    [
      { name: /^cpu\.usage_active$/, where: ["cpu", "cpu-total"] },
      { name: /^cpu\.usage_idle$/, where: ["cpu", "cpu-total"], restOf: 100 },
      { name: /^system\.cpu\.utilization$/, where: ["state", "idle"], restOf: 1 },
      { name: /^system\.cpu\.time$/, where: ["state", "idle"], restOf: 1 },
      { name: /^node_cpu_seconds_total$/, where: ["mode", "idle"], restOf: 1 },
      { name: /cpu.*(?:percent|utili[sz]ation|usage|user)|^cpu$/i, where: ["cpu", "cpu-total"] },
    ],
  ],
  [
    "Memory by host",
    [
      { name: /^mem\.used_percent$/ },
      { name: /^system\.memory\.utilization$/, where: ["state", "used"] },
      { name: /^system\.memory\.usage$/, where: ["state", "used"] },
      { name: /^node_memory_MemAvailable_bytes$/, title: "Available memory by host" },
      { name: /mem(?:ory)?[._].*(?:percent|utili[sz]ation|used|usage|working_set)/i },
    ],
  ],
  [
    "Received by host",
    [
      { name: /^net\.bytes_recv$/ },
      { name: /^system\.network\.io$/, where: ["direction", "receive"] },
      { name: /^(?:node|container)_network_receive_bytes_total$/ },
    ],
  ],
  [
    "Sent by host",
    [
      { name: /^net\.bytes_sent$/ },
      { name: /^system\.network\.io$/, where: ["direction", "transmit"] },
      { name: /^(?:node|container)_network_transmit_bytes_total$/ },
    ],
  ],
];

/** The charts for which at least one host sent values; each has a line for each host. */
export function hostCharts(measures: readonly MeasureFacts[]): readonly MeasureGroup[] {
  const ofHosts = measures.filter(
    ({ endpoint, kind, tags }) =>
      endpoint === undefined &&
      (kind === "gauge" || kind === "counter") &&
      hostTagOf(Object.entries(tags)) !== undefined,
  );
  return CHARTS.flatMap(([name, candidates]) => {
    for (const candidate of candidates) {
      const series = seriesOf(ofHosts, candidate);
      const [first] = series;
      if (first !== undefined) return [groupOf(candidate.title ?? name, first, candidate, series)];
    }
    return [];
  });
}

/** Series of the first measure with a matching name. */
function seriesOf(
  measures: readonly MeasureFacts[],
  { name, where: [tag, value] = ["", ""] }: Candidate,
): readonly MeasureFacts[] {
  const named = measures.find((each) => name.test(each.name))?.name;
  const own = measures.filter((each) => each.name === named);
  const isApart = own.some(({ tags }) => tags[tag] !== undefined);
  return isApart ? own.filter(({ tags }) => tags[tag] === value) : own;
}

/** Tags of network interfaces: what a host sends to itself is left out. */
const LOOPBACK = ["interface", "device"];

function groupOf(
  title: string,
  first: MeasureFacts,
  { where, restOf }: Candidate,
  series: readonly MeasureFacts[],
): MeasureGroup {
  const { name, kind } = first;
  const [hostTag = ""] = hostTagOf(Object.entries(first.tags)) ?? [];
  const selector = `${selectorOf(name)}${matchesText(first, where)} by ${hostTag}`;
  const hosts = Map.groupBy(series, ({ tags }) => tags[hostTag] ?? "");
  const lines = Array.from(hosts, ([host, own]): MeasureLine => ({
    ...first,
    tags: { [hostTag]: host },
    key: `${selector} ${host}`,
    selector,
    // Counters add up over cores, of gauges the average is drawn.
    ...(restOf !== undefined && { restOf }),
    ...(kind === "counter" && { parts: own.length }),
  }));
  return {
    name: title,
    ...looksOf(first, restOf),
    series: lines.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
  };
}

function matchesText({ tags }: MeasureFacts, where: Candidate["where"]): string {
  const [tag = "", value] = where ?? [];
  const matches = [
    ...(tag in tags ? [`${tag}="${value}"`] : []),
    ...LOOPBACK.flatMap((each) => (each in tags ? [`${each}!=lo`] : [])),
  ];
  return matches.length === 0 ? "" : `{${matches.join()}}`;
}

/** Unit, kind and explanation of what is drawn. */
function looksOf({ name, unit, kind }: MeasureFacts, restOf: number | undefined) {
  if (restOf === 1) return { unit: "", kind: "rate", hint: `100 % less ${name}` } as const;
  if (restOf !== undefined) return { unit: "%", kind, hint: `100 % less ${name}` };
  return {
    unit: shownUnit(name, unit),
    kind,
    hint: kind === "counter" ? `${name} per second` : name,
  };
}
