import { changeParameters } from "../address/use-address.ts";
import type { ComparedEndpoint } from "../api/comparison.ts";
import { count } from "../format/numbers.ts";
import { type Kind, kindCounts, KINDS } from "./verdicts.ts";

interface VerdictFilterProps {
  readonly endpoints: readonly ComparedEndpoint[];
  readonly chosen: Kind | undefined;
}

/** Number of endpoints per verdict; a click shows only those. */
export function VerdictFilter({ endpoints, chosen }: VerdictFilterProps) {
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
