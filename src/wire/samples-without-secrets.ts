import { Yielder } from "../concurrency/yielder.ts";
import { redactText } from "../model/samples/redact.ts";
import {
  cutText,
  type LabelledSample,
  SAMPLE_TEXTS,
  type SampleText,
} from "../model/samples/request-sample.ts";

const TEXT_NAMES = Object.keys(SAMPLE_TEXTS) as readonly SampleText[];

/**
 * Takes out secrets that a sender has left in; all of a batch may take seconds, so it yields between texts. What stands for a
 * secret may be longer than it: texts are cut again.
 */
export async function samplesWithoutSecrets(
  samples: readonly LabelledSample[],
): Promise<readonly LabelledSample[]> {
  const yielder = new Yielder();
  const clean: LabelledSample[] = [];
  for (const sample of samples) {
    const texts: Partial<Record<SampleText, string>> = {};
    let { isCut } = sample;
    for (const name of TEXT_NAMES) {
      const text = sample[name];
      if (text === undefined) continue;
      const whole = redactText(text);
      const kept = cutText(whole, SAMPLE_TEXTS[name]);
      if (kept.length < whole.length) isCut = true;
      texts[name] = kept;
      await yielder.pass();
    }
    clean.push({ ...sample, ...texts, ...(isCut && { isCut }) });
  }
  return clean;
}
