import { FAILURE_TEXT_CHARACTERS_MAX } from "../model/failures.ts";
import { redactText } from "../model/samples/redact.ts";
import {
  type LabelledSample,
  SAMPLE_NUMBERS,
  SAMPLE_TEXTS,
  type SampleText,
} from "../model/samples/request-sample.ts";
import { badBatch } from "./batch-columns.ts";
import { isText } from "./wire-measures.ts";

type Check = (value: unknown) => boolean;

const isWhole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTextOf =
  (unitsMax: number): Check =>
  (value) =>
    isText(value) && value.length <= unitsMax;

const OPTIONAL: Readonly<Record<string, Check>> = {
  code: isTextOf(FAILURE_TEXT_CHARACTERS_MAX),
  message: isTextOf(FAILURE_TEXT_CHARACTERS_MAX),
  isCut: (value) => value === true,
  ...Object.fromEntries(SAMPLE_NUMBERS.map((name) => [name, isWhole])),
  ...Object.fromEntries(Object.entries(SAMPLE_TEXTS).map(([name, max]) => [name, isTextOf(max)])),
};

/** Checks the member `samples` of a head, and takes out secrets that its sender has left in. Throws `bad-batch`. */
export function samplesInHead(
  samples: unknown,
  isLabel: (value: unknown) => boolean,
): readonly LabelledSample[] | undefined {
  if (samples === undefined) return undefined;
  if (!Array.isArray(samples)) throw badBatch("samples of its head: expected a list");
  const required: Readonly<Record<string, Check>> = {
    label: isLabel,
    timeMs: isWhole,
    elapsedMicros: isWhole,
    hash: isWhole,
  };
  return samples.map((sample: unknown, at) => {
    if (typeof sample !== "object" || sample === null) {
      throw badBatch(`samples[${at}] of its head: expected an object`);
    }
    const members = sample as Readonly<Record<string, unknown>>;
    const lacking = Object.keys(required).find((name) => members[name] === undefined);
    if (lacking !== undefined) throw badBatch(`samples[${at}] of its head: there is no ${lacking}`);
    for (const [name, value] of Object.entries(members)) {
      const check = required[name] ?? (Object.hasOwn(OPTIONAL, name) ? OPTIONAL[name] : undefined);
      if (check?.(value) === true) continue;
      throw badBatch(`samples[${at}] of its head: cannot read its member ${name.slice(0, 40)}`);
    }
    return withoutSecrets(members as unknown as LabelledSample);
  });
}

function withoutSecrets(sample: LabelledSample): LabelledSample {
  const texts = (Object.keys(SAMPLE_TEXTS) as readonly SampleText[]).flatMap((name) => {
    const text = sample[name];
    return text === undefined ? [] : [[name, redactText(text)] as const];
  });
  return { ...sample, ...Object.fromEntries(texts) };
}
