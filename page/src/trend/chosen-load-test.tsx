import type { Trend } from "../api/trend.ts";
import { useFacetLink } from "../facets/use-facet-link.ts";
import { inWords } from "../format/changes.ts";
import { Quality } from "../load-test/quality.tsx";
import { BaselineButton } from "../parts/baseline-button.tsx";
import { FIGURE_NAMES, quantityOf } from "./change-words.ts";
import type { Subject } from "./trend-lines.ts";
import { loadTestText } from "./trend-times.ts";

interface ChosenLoadTestProps {
  readonly series: string | undefined;
  readonly trend: Trend;
  readonly subject: Subject;
  /** Its position; without one, the latest load test. */
  readonly chosen: number | undefined;
  readonly onPinned: () => void;
}

const SHOWN = ["count", "errRate", "p95"] as const;

/** Actions for one load test of the series. */
export function ChosenLoadTest({ series, trend, subject, chosen, onPinned }: ChosenLoadTestProps) {
  const linkTo = useFacetLink();
  const { loadTests, baseline } = trend;
  const at = chosen ?? loadTests.length - 1;
  const loadTest = loadTests[at];
  if (loadTest === undefined) return null;
  const { id, name, verdict } = loadTest;
  const before = loadTests[at - 1]?.id;
  return (
    <div class="chosen-load-test" role="region" aria-label={`Run ${id}`}>
      <span class="who">
        <b>{loadTestText(loadTest, series)}</b>
        {chosen === undefined ? <span class="rest"> · the latest</span> : null}
        {id === baseline ? <span class="rest"> · the baseline</span> : null}
        {verdict === undefined ? null : <span class="rest"> · {verdict} its thresholds</span>}
      </span>
      <span class="rest figures">{figuresOf(subject, at)}</span>
      <span class="actions">
        <a class="button" href={linkTo({ name: "load-test", id })}>
          Open
        </a>
        {before === undefined ? null : (
          <Compare base={before} id={id} hash={subject.hash} text="Compare with previous" />
        )}
        {baseline === undefined || baseline === id || baseline === before ? null : (
          <Compare base={baseline} id={id} hash={subject.hash} text="Compare with the baseline" />
        )}
        <BaselineButton
          key={id}
          id={id}
          name={name}
          isBaseline={id === baseline}
          onChanged={onPinned}
        />
      </span>
      <Quality sentences={loadTest.quality.map(({ message }) => message)} />
    </div>
  );
}

function figuresOf({ values }: Subject, at: number): string {
  const texts = SHOWN.flatMap((figure) => {
    const value = values[figure][at];
    if (value === null || value === undefined) return [];
    return [`${FIGURE_NAMES[figure]} ${inWords(quantityOf(figure, value))}`];
  });
  return texts.length === 0 ? "no requests" : texts.join(" · ");
}

interface CompareProps {
  readonly base: string;
  readonly id: string;
  readonly hash: string | undefined;
  readonly text: string;
}

function Compare({ base, id, hash, text }: CompareProps) {
  const linkTo = useFacetLink();
  const parameters = new Map(hash === undefined ? [] : [["endpoint", hash]]);
  return (
    <a class="button" href={linkTo({ name: "compare", base, id }, parameters)} title={base}>
      {text}
    </a>
  );
}
