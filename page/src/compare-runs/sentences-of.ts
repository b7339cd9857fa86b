import type { ComparedRuns } from "../api/comparison.ts";
import { inWords } from "../format/changes.ts";
import { count, share } from "../format/numbers.ts";

/** What bold figures mean, then limits of the figures: each once, with the numbers of its runs unless it is about all. */
export function sentencesOf({
  loadTests,
  leftOut,
  errorProbability,
}: Pick<ComparedRuns, "loadTests" | "leftOut" | "errorProbability">): readonly string[] {
  const about = new Map<string, number[]>();
  for (const [at, { quality, noise }] of loadTests.entries()) {
    const messages = [
      ...quality.map(({ message }) => message),
      ...(noise?.kind === "within" ? ["noise between runs is unknown: too few earlier runs"] : []),
    ];
    for (const message of new Set(messages)) {
      about.set(message, [...(about.get(message) ?? []), at + 1]);
    }
  }
  const [each, any] = [errorProbability.each, errorProbability.any].map((one) =>
    inWords(share(one)),
  );
  const together = loadTests.length > 2 ? `, and in any of these in at most ${any}` : "";
  return [
    `bold figures differ from the base beyond noise, which alone makes any endpoint bold in ${each} of comparisons${together}`,
    ...[...about].map(([message, runs]) =>
      runs.length >= loadTests.length - 1 ? message : `${message} (${runs.join(", ")})`,
    ),
    ...(leftOut.loadTests === 0
      ? []
      : [`other runs of the name, not compared: ${count(leftOut.loadTests)}`]),
  ];
}
