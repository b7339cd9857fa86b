import { useFacetLink } from "../facets/use-facet-link.ts";
import { changeParameters } from "../address/use-address.ts";
import type { Trend, TrendChange } from "../api/trend.ts";
import { share } from "../format/numbers.ts";
import { RowName } from "../parts/row-name.tsx";
import { Quantity } from "../parts/quantity.tsx";
import { mayBeOutlier, quantityOf, sizeOf, wordsOf } from "./change-words.ts";
import { startText } from "./trend-times.ts";

interface ChangeRowProps {
  readonly change: TrendChange;
  readonly series: string | undefined;
  readonly trend: Trend;
  /** Its load test's number in the charts; `undefined` if they show another endpoint. */
  readonly number: number | undefined;
  /** Whether the charts show its endpoint. */
  readonly isChosen: boolean;
  /** The statistics that changed. */
  readonly figures: string;
}

/** A change; a click shows its endpoint in the charts and its load test above them. */
export function ChangeRow(props: ChangeRowProps) {
  const { change, series, trend, number, isChosen, figures } = props;
  const { loadTestId, label, hash, figure, before, after, chance } = change;
  const { loadTestsBefore, loadTestsAfter } = change;
  const { sign, words, kind } = wordsOf(change);
  const choose = () => changeParameters({ endpoint: hash, at: loadTestId });
  return (
    <tr class={isChosen && hash !== undefined ? "row selected" : "row"} onClick={choose}>
      <td class={`what kind ${kind}`} title={words}>
        <span class={`sign ${kind}`}>{sign}</span>
        {words}
      </td>
      <td class="with" title={loadTestId}>
        <With trend={trend} id={loadTestId} series={series} number={number} />
      </td>
      <RowName label={label} isChosen={isChosen} onChoose={choose} />
      <td class="figure" title={figures}>
        {figures}
      </td>
      <td class="numeric before">
        <Quantity {...quantityOf(figure, before)} />
      </td>
      <td class="numeric after">
        <Quantity {...quantityOf(figure, after)} />
      </td>
      <td class="numeric change">
        <Quantity {...sizeOf(change)} />
      </td>
      <td class="numeric chance" title={`${chance}`}>
        <Quantity {...share(chance)} />
      </td>
      <td
        class="numeric levels"
        title={mayBeOutlier(change) ? "Only a few runs so far: possible outliers" : undefined}
      >
        {mayBeOutlier(change) ? <b>? </b> : null}
        {`${loadTestsBefore} → ${loadTestsAfter}`}
      </td>
      <td class="links">
        <CompareBefore trend={trend} id={loadTestId} hash={hash} />
      </td>
    </tr>
  );
}

function With({
  trend,
  id,
  series,
  number,
}: Pick<ChangeRowProps, "trend" | "series" | "number"> & { readonly id: string }) {
  const linkTo = useFacetLink();
  const loadTest = trend.loadTests.find((each) => each.id === id);
  const name = loadTest?.name;
  return (
    <>
      {number === undefined ? null : <span class="mark-number">{number}</span>}
      <a href={linkTo({ name: "load-test", id })} onClick={(event) => event.stopPropagation()}>
        {name === undefined || name === series ? id : `${name} ${id}`}
      </a>
      {loadTest === undefined ? null : (
        <span class="rest">{` ${startText(loadTest.startedAt)}`}</span>
      )}
    </>
  );
}

interface CompareBeforeProps {
  readonly trend: Trend;
  readonly id: string;
  readonly hash: string | undefined;
}

/** Details of a change: the part of the distribution, other endpoints. */
function CompareBefore({ trend: { loadTests }, id, hash }: CompareBeforeProps) {
  const linkTo = useFacetLink();
  const before = loadTests[loadTests.findIndex((each) => each.id === id) - 1];
  if (before === undefined) return null;
  const parameters = new Map(hash === undefined ? [] : [["endpoint", hash]]);
  return (
    <a
      class="rest"
      href={linkTo({ name: "compare", base: before.id, id }, parameters)}
      title={`Compare ${id} with the previous run, ${before.id}`}
      onClick={(event) => event.stopPropagation()}
    >
      compare
    </a>
  );
}
