import { Yielder } from "../concurrency/yielder.ts";
import { redactText } from "../model/samples/redact.ts";
import {
  type LabelledSample,
  SAMPLE_TEXTS,
  type SampleText,
} from "../model/samples/request-sample.ts";

const TEXT_NAMES = Object.keys(SAMPLE_TEXTS) as readonly SampleText[];

/** Takes out secrets that a sender has left in; all of a batch may take seconds, so it yields between texts. */
export async function samplesWithoutSecrets(
  samples: readonly LabelledSample[],
): Promise<readonly LabelledSample[]> {
  const yielder = new Yielder();
  const clean: LabelledSample[] = [];
  for (const sample of samples) {
    const texts: Partial<Record<SampleText, string>> = {};
    for (const name of TEXT_NAMES) {
      const text = sample[name];
      if (text === undefined) continue;
      texts[name] = redactText(text);
      await yielder.pass();
    }
    clean.push({ ...sample, ...texts });
  }
  return clean;
}
