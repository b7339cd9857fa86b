import { useMemo } from "preact/hooks";
import { useAddress } from "../address/use-address.ts";
import type { Pair } from "../api/comparison.ts";
import type { LoadTestDetail } from "../api/load-tests.ts";
import { FacetBar } from "../facets/facet-chips.tsx";
import { wholeText } from "../format/whole.ts";
import { Missing } from "../load-test/missing.tsx";
import { Quality } from "../load-test/quality.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Refused } from "../shell/problem.tsx";
import { CompareHead } from "./compare-head.tsx";
import { CompareTiles } from "./compare-tiles.tsx";
import { ComparedEndpoints } from "./compared-endpoints.tsx";
import { ComparedMeasures } from "./compared-measures.tsx";
import { ComparedOverTime } from "./compared-over-time.tsx";
import { comparedRemarks } from "./comparison-texts.ts";
import { type ShownPart, shownPart } from "./shown-part.ts";
import { useBoth, useCompareAnswers } from "./use-compare-answers.ts";

/** The comparison of two load tests that the URL selects. */
export function CompareView({ base, id }: { readonly base: string; readonly id: string }) {
  const { parameters } = useAddress();
  const { value: both, error } = useBoth(base, id);
  const part = useMemo(() => shownPart({ base, id }, parameters), [base, id, parameters]);
  if (error?.status === 404) {
    // The message quotes the id.
    return <Missing id={error.message.includes(JSON.stringify(base)) ? base : id} />;
  }
  return (
    <main>
      {both === undefined ? (
        <Refused title="Couldn't compare the runs" error={error} />
      ) : (
        <Loaded both={both} part={part} parameters={parameters} />
      )}
    </main>
  );
}

interface LoadedProps {
  readonly both: Pair<LoadTestDetail>;
  readonly part: ShownPart;
  readonly parameters: ReadonlyMap<string, string>;
}

function Loaded({ both, part, parameters }: LoadedProps) {
  const answers = useCompareAnswers(both, part);
  const { comparison, distributions, series, problem } = answers;
  useTitle(`${both.later.name} with base ${both.base.name} · Tachograph`);
  return (
    <>
      <CompareHead both={both} part={part} comparison={comparison} />
      <FacetBar {...part.compared} facets={answers.facets} />
      <Refused error={problem} />
      <CompareTiles comparison={comparison} distributions={distributions} />
      {comparison === undefined ? null : (
        <Quality sentences={comparedRemarks(comparison, String)} />
      )}
      {isTimed(both) ? (
        <ComparedOverTime
          both={both}
          part={part}
          series={series}
          resolution={answers.resolution}
          whole={comparison === undefined ? "" : wholeText(comparison)}
          hiddenNames={parameters.get("hidden") ?? ""}
        />
      ) : (
        <p class="hint">Runs without timestamps cannot be overlaid.</p>
      )}
      {comparison === undefined ? (
        <p class="hint late">Comparing every endpoint…</p>
      ) : (
        <>
          <ComparedEndpoints {...answers} comparison={comparison} part={part} />
          <ComparedMeasures
            comparison={comparison}
            series={both.later.name}
            isPart={part.compared.where !== undefined}
          />
        </>
      )}
    </>
  );
}

function isTimed({ base, later }: Pair<LoadTestDetail>): boolean {
  return base.from !== null && later.from !== null;
}
