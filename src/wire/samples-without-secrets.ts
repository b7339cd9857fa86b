import { Yielder } from "../concurrency/yielder.ts";
import { redactText } from "../model/samples/redact.ts";
import { cutSpan, type SampleEntry } from "../model/samples/child-spans.ts";
import { cutText, SAMPLE_TEXTS, type SampleText } from "../model/samples/request-sample.ts";

const TEXT_NAMES = Object.keys(SAMPLE_TEXTS) as readonly SampleText[];

/**
 * Takes out secrets that a sender has left in; all of a batch may take seconds, so it yields between texts. What stands for a
 * secret may be longer than it: texts are cut again.
 */
export async function samplesWithoutSecrets(
  samples: readonly SampleEntry[],
): Promise<readonly SampleEntry[]> {
  const yielder = new Yielder();
  const clean: SampleEntry[] = [];
  for (const sample of samples) {
    if (sample.label === undefined) {
      clean.push(cutSpan(sample, redactText));
      await yielder.pass();
      continue;
    }
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
