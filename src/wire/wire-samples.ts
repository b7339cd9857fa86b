import { FAILURE_TEXT_CHARACTERS_MAX } from "../model/failures.ts";
import type { UserError } from "../model/errors.ts";
import { jsonText } from "../model/json-text.ts";
import { redactText } from "../model/samples/redact.ts";
import {
  type LabelledSample,
  SAMPLE_NUMBERS,
  SAMPLE_TEXTS,
  sampleBytes,
  type SampleText,
} from "../model/samples/request-sample.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import { badBatch } from "./batch-columns.ts";
import { isText } from "./wire-measures.ts";

/** A test of a member, and the form that its error message asks for. */
type Check = readonly [isRight: (value: unknown) => boolean, want: string];

const WHOLE: Check = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  "a whole number from 0 to 2^53 - 1",
];
const textOf = (unitsMax: number): Check => [
  (value) => isText(value) && value.length <= unitsMax,
  `text of at most ${unitsMax} characters`,
];

const OPTIONAL: Readonly<Record<string, Check>> = {
  code: textOf(FAILURE_TEXT_CHARACTERS_MAX),
  message: textOf(FAILURE_TEXT_CHARACTERS_MAX),
  isCut: [(value) => value === true, "true, or no such member"],
  ...Object.fromEntries(SAMPLE_NUMBERS.map((name) => [name, WHOLE])),
  ...Object.fromEntries(Object.entries(SAMPLE_TEXTS).map(([name, max]) => [name, textOf(max)])),
};
const UNKNOWN: Check = [() => false, "no such member"];

/** Checks the member `samples` of a head, and takes out secrets that its sender has left in. Throws `bad-batch`. */
export function samplesInHead(
  samples: unknown,
  isLabel: (value: unknown) => boolean,
): readonly LabelledSample[] | undefined {
  if (samples === undefined) return undefined;
  if (!Array.isArray(samples)) throw wrong("samples", "a list", samples);
  const required: Readonly<Record<string, Check>> = {
    label: [isLabel, "the name of a series"],
    timeMs: WHOLE,
    elapsedMicros: WHOLE,
    hash: WHOLE,
  };
  const all = samples.map((sample: unknown, at) => {
    if (typeof sample !== "object" || sample === null) {
      throw wrong(`samples[${at}]`, "an object", sample);
    }
    const members = sample as Readonly<Record<string, unknown>>;
    for (const name of [...Object.keys(required), ...Object.keys(members)]) {
      const known = Object.hasOwn(OPTIONAL, name) ? OPTIONAL[name] : UNKNOWN;
      const [isRight, want] = (Object.hasOwn(required, name) ? required[name] : known) ?? UNKNOWN;
      if (!isRight(members[name])) {
        throw wrong(`${name.slice(0, 40)} of samples[${at}]`, want, members[name]);
      }
    }
    return members as unknown as LabelledSample;
  });
  const bytes = all.reduce((sum, sample) => sum + sampleBytes(sample), 0);
  // Reading them takes the event loop a second per some megabytes.
  if (bytes > SAMPLE_BYTES_DEFAULT) {
    throw badBatch(
      `samples of its head: expected texts of at most ${SAMPLE_BYTES_DEFAULT} characters, got ${bytes}`,
    );
  }
  return all.map(withoutSecrets);
}

function wrong(what: string, want: string, value: unknown): UserError {
  // Texts may have secrets.
  const got =
    typeof value === "string" ? `${value.length} characters` : jsonText(value).slice(0, 100);
  return badBatch(`${what} of its head: expected ${want}, got ${got}`);
}

function withoutSecrets(sample: LabelledSample): LabelledSample {
  const texts = (Object.keys(SAMPLE_TEXTS) as readonly SampleText[]).flatMap((name) => {
    const text = sample[name];
    return text === undefined ? [] : [[name, redactText(text)] as const];
  });
  return { ...sample, ...Object.fromEntries(texts) };
}
