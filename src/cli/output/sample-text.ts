import type { SampleItem } from "../../api/samples.ts";
import { PHASE_TITLES, spanText, TEXT_TITLES } from "../../model/samples/sample-titles.ts";
import { printable } from "./table.ts";

const LINES = [
  ["thread", "thread"],
  ["generator", "generator"],
  ["traceId", "trace"],
  ["traceUrl", "trace"],
  ["spanId", "span"],
] as const;

/** One request as text, with a blank line before it. Nothing in it can control a terminal. */
export function sampleText(sample: SampleItem): string {
  const { label, code, message, time, elapsedMs, method, url, cut } = sample;
  const { sentBytes, receivedBytes } = sample;
  const kind = [code, message].filter((text) => text !== undefined && text !== "").join(" ");
  const head = [label, kind, time ?? "at an unknown time", `${elapsedMs} ms`];
  const phases = PHASE_TITLES.flatMap(([name, title]) =>
    sample[name] === undefined ? [] : [`${title} ${sample[name]} ms`],
  );
  const sizes = [
    ...(sentBytes === undefined ? [] : [`sent ${sentBytes} bytes`]),
    ...(receivedBytes === undefined ? [] : [`received ${receivedBytes} bytes`]),
  ];
  const lines = [
    ...(url === undefined ? [] : [[method, url].filter(Boolean).join(" ")]),
    ...LINES.flatMap(([name, title]) =>
      sample[name] === undefined ? [] : [`${title}: ${sample[name]}`],
    ),
    ...[phases, sizes].map((parts) => parts.join(", ")),
  ];
  const spans = (sample.spans ?? []).map((span) => `  ${printable(`span: ${spanText(span)}`)}`);
  const texts = TEXT_TITLES.flatMap(([name, title]) =>
    sample[name] === undefined
      ? []
      : [`  ${title.toLowerCase()}:`, ...sample[name].trimEnd().split(/\r?\n/).map(indented)],
  );
  const shown = [
    "",
    printable(head.filter((part) => part !== "").join("  ")),
    ...lines.filter((line) => line !== "").map((line) => `  ${printable(line)}`),
    ...spans,
    ...texts,
    ...(cut === true ? ["  (cut: texts are longer than what is kept)"] : []),
  ];
  return `${shown.join("\n")}\n`;
}

function indented(line: string): string {
  return `    ${printable(line)}`.trimEnd();
}
