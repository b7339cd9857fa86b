/** A request that was kept whole, in words. */

import {
  PHASE_TITLES,
  spanText,
  TEXT_TITLES,
} from "../../../../src/model/samples/sample-titles.ts";
import type { Sample } from "../../api/samples.ts";
import { bytes, count, duration, type Quantity } from "../../format/numbers.ts";
import { kindName } from "../causes/failure-kinds.ts";

type Named = readonly [name: string, text: string];

/** What is short, those that are known. */
export function factsOf(sample: Sample): readonly Named[] {
  const { time, method, url, generator, thread, sentBytes, receivedBytes } = sample;
  const phases = PHASE_TITLES.flatMap(([name, title]) => {
    const ms = sample[name];
    return ms === undefined ? [] : [`${title} ${text(duration(ms / 1000))}`];
  });
  const sizes = [
    ...(sentBytes === undefined ? [] : [`sent ${sizeText(sentBytes)}`]),
    ...(receivedBytes === undefined ? [] : [`received ${sizeText(receivedBytes)}`]),
  ];
  const facts: readonly Named[] = [
    ["started", time ?? "unknown"],
    ["request", [method, url].filter(Boolean).join(" ")],
    ["failed with", sample.failed ? kindName(kindOf(sample)) : ""],
    ["response time", `${count(sample.elapsedMs)} ms`],
    ["phases", phases.join(", ")],
    ["sizes", sizes.join(", ")],
    ["generator", generator ?? ""],
    ["thread", thread ?? ""],
    ["trace", sample.traceUrl ?? sample.traceId ?? ""],
    ["span", sample.spanId ?? ""],
  ];
  return facts.filter(([, known]) => known !== "");
}

/** Headers and bodies, those that are known. */
export function textsOf(sample: Sample): readonly Named[] {
  return TEXT_TITLES.flatMap(([name, title]) => {
    const known = sample[name];
    return known === undefined ? [] : [[title, known] as const];
  });
}

/** All of it, for a ticket or a chat. */
export function sampleText(sample: Sample): string {
  const facts = factsOf(sample).map(([name, known]) => `${name}: ${known}`);
  const spans = (sample.spans ?? []).map((span) => `span: ${spanText(span)}`);
  const texts = textsOf(sample).flatMap(([title, known]) => ["", `${title}:`, known.trimEnd()]);
  return [sample.label, ...facts, ...spans, ...texts, ""].join("\n");
}

export function kindOf({ code = "", message = "" }: Sample) {
  return { code, message };
}

function text({ digits, unit }: Quantity): string {
  return `${digits} ${unit}`.trimEnd();
}

function sizeText(value: number): string {
  return text(bytes(value));
}
