import type { ComponentChildren } from "preact";
import { useAddress } from "../address/use-address.ts";
import { addressOf, askFile, CHANGES } from "../api/client.ts";
import { askComparedRuns, type RunsParameters } from "../api/comparison.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Quality } from "../load-test/quality.tsx";
import { CopyCurl } from "../parts/copy-button.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Refused } from "../shell/problem.tsx";
import { useTitle } from "../shell/use-title.ts";
import { RunsMatrix } from "./runs-matrix.tsx";
import { RunsMeasures } from "./runs-measures.tsx";
import { RunsOverTime } from "./runs-over-time.tsx";
import { RunsTable } from "./runs-table.tsx";
import { sentencesOf } from "./sentences-of.ts";
import { shownRuns } from "./shown-runs.ts";

interface CompareRunsViewProps {
  /** Shown below. */
  readonly children?: ComponentChildren;
}

/** Several runs beside each other, as the URL selects them. */
export function CompareRunsView({ children }: CompareRunsViewProps) {
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
        {CHANGES ? (
          <div class="actions">
            <SaveButton
              name="Report"
              title="This comparison as one file that opens without the server"
              save={() => saveReport(request)}
            />
            <CopyCurl url={addressOf("compareRuns", request)} />
          </div>
        ) : null}
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
      {children}
    </main>
  );
}

async function saveReport(request: RunsParameters): Promise<void> {
  const shown = `${location.origin}${location.pathname}${location.search}`;
  const address = shown.length > ADDRESS_MAX ? undefined : shown;
  saveFile(await askFile("getComparisonReport", { ...request, address }), "comparison.html");
}

/** Characters that a report names. */
const ADDRESS_MAX = 2000;
