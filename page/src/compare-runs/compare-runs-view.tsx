import { useAddress } from "../address/use-address.ts";
import { addressOf } from "../api/client.ts";
import { askComparedRuns, type ComparedRuns } from "../api/comparison.ts";
import { useAnswer } from "../api/use-answer.ts";
import { inWords } from "../format/changes.ts";
import { count, share } from "../format/numbers.ts";
import { Quality } from "../load-test/quality.tsx";
import { CopyCurl } from "../parts/copy-button.tsx";
import { Refused } from "../shell/problem.tsx";
import { useTitle } from "../shell/use-title.ts";
import { RunsMatrix } from "./runs-matrix.tsx";
import { RunsMeasures } from "./runs-measures.tsx";
import { RunsOverTime } from "./runs-over-time.tsx";
import { RunsTable } from "./runs-table.tsx";
import { shownRuns } from "./shown-runs.ts";

/** Several runs beside each other, as the URL selects them. */
export function CompareRunsView() {
  const { parameters } = useAddress();
  const shown = shownRuns(parameters);
  const { request } = shown;
  const { value, question, error } = useAnswer("runs", JSON.stringify(request), (signal) =>
    askComparedRuns(request, signal),
  );
  useTitle("Runs compared · Tachograph");
  const isLate = question !== JSON.stringify(request);
  return (
    <main class="compared-runs" aria-busy={isLate}>
      <div class="load-test-head compare-head">
        <h1>{value === undefined ? "Runs compared" : `${value.loadTests.length} runs compared`}</h1>
        <div class="actions">
          <CopyCurl url={addressOf("compareRuns", request)} />
        </div>
      </div>
      <Refused title="Couldn't compare the runs" error={error} />
      {value === undefined ? (
        error === undefined ? (
          <p class="hint late">Comparing each run with the base…</p>
        ) : null
      ) : (
        <>
          <RunsTable {...value} />
          <Quality sentences={sentencesOf(value)} />
          <RunsOverTime compared={value} shown={shown} />
          <RunsMatrix compared={value} shown={shown} />
          <RunsMeasures compared={value} statistic={shown.statistic} />
        </>
      )}
    </main>
  );
}

/** Each sentence once, with the numbers of its runs unless it is about all. */
function sentencesOf({ loadTests, leftOut, errorProbability }: ComparedRuns): readonly string[] {
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
  return [
    ...[...about].map(([message, runs]) =>
      runs.length >= loadTests.length - 1 ? message : `${message} (${runs.join(", ")})`,
    ),
    ...(leftOut.loadTests === 0
      ? []
      : [`other runs of the name, not compared: ${count(leftOut.loadTests)}`]),
    `bold figures differ from the base beyond noise, which alone makes any endpoint bold in ${each} of comparisons, and in any of these in at most ${any}`,
  ];
}
