import { useMemo } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { LoadTestComparison, ComparedEndpoint } from "../api/comparison.ts";
import { FilterField } from "../parts/filter-field.tsx";
import { moveFocus } from "../parts/move-focus.ts";
import { useKeys } from "../shell/keyboard.ts";
import { CompareTable } from "./compare-table.tsx";
import { CurvesPanel } from "./curves-panel.tsx";
import { matchingRows, shownRows } from "./shown-rows.ts";
import type { ShownPart } from "./shown-part.ts";
import type { CompareAnswers } from "./use-compare-answers.ts";
import { count } from "../format/numbers.ts";
import { type Kind, kindCounts, KINDS } from "./verdicts.ts";

interface ComparedEndpointsProps extends Pick<CompareAnswers, "distributions" | "chosen"> {
  readonly comparison: LoadTestComparison;
  readonly part: ShownPart;
}

/** All endpoints, the worst first, beside the distribution of the chosen one. */
export function ComparedEndpoints(props: ComparedEndpointsProps) {
  const { comparison, part, distributions, chosen } = props;
  const { endpoints } = comparison;
  const { filter, kind, order, hash } = part;
  const matching = useMemo(() => matchingRows(endpoints, { filter }), [endpoints, filter]);
  const rows = useMemo(
    () => shownRows(endpoints, { filter, kind, order }),
    [endpoints, filter, kind, order.column, order.isReversed, order.figure],
  );
  useKeys({
    ArrowDown: () => moveFocus(1, "button"),
    ArrowUp: () => moveFocus(-1, "button"),
    Escape: () => takeOff(part),
  });
  const row = endpoints.find((each) => each.hash === hash);
  const shown = row === undefined ? distributions : distributionsOf(chosen, row.hash);
  return (
    <section class="compared-endpoints" aria-label="Endpoints">
      <div class="verdict-bar">
        <VerdictFilter endpoints={matching} chosen={kind} />
        <FilterField text={filter} />
      </div>
      <CompareTable endpoints={endpoints} rows={rows} part={part} />
      <CurvesPanel row={row ?? comparison.overall} label={row?.label} distributions={shown} />
    </section>
  );
}

function distributionsOf(chosen: CompareAnswers["chosen"], hash: string) {
  return chosen?.hash === hash ? chosen.distributions : undefined;
}

/** Clears filters, innermost first. */
function takeOff({ hash, kind, filter, compared }: ShownPart): boolean {
  if (hash !== undefined) changeParameters({ endpoint: undefined });
  else if (kind !== undefined) changeParameters({ verdict: undefined });
  else if (filter !== "") changeParameters({ filter: undefined });
  else if (compared.where !== undefined) changeParameters({ where: undefined });
  else if (compared.by !== undefined) changeParameters({ by: undefined });
  else if (compared.skipStart !== 0 || compared.until !== undefined) {
    changeParameters({ skipStart: undefined, until: undefined });
  } else return true;
  return false;
}

interface VerdictFilterProps {
  readonly endpoints: readonly ComparedEndpoint[];
  readonly chosen: Kind | undefined;
}

/** Number of endpoints per verdict; a click shows only those. */
function VerdictFilter({ endpoints, chosen }: VerdictFilterProps) {
  const counts = kindCounts(endpoints);
  const isMissing = chosen !== undefined && counts.every(([kind]) => kind !== chosen);
  const shown = isMissing ? [...counts, [chosen, 0] as const] : counts;
  return (
    <div class="verdict-filter" role="group" aria-label="Verdicts">
      <button
        type="button"
        class="word"
        aria-pressed={chosen === undefined}
        onClick={() => changeParameters({ verdict: undefined })}
      >
        {`all ${count(endpoints.length)}`}
      </button>
      {shown.map(([kind, number]) => (
        <button
          key={kind}
          type="button"
          class={`word ${kind}`}
          aria-pressed={kind === chosen}
          onClick={() => changeParameters({ verdict: kind === chosen ? undefined : kind })}
        >
          <span class={`sign ${kind}`} aria-hidden="true">
            {KINDS[kind].sign}
          </span>
          {` ${count(number)} ${KINDS[kind].words}`}
        </button>
      ))}
    </div>
  );
}
