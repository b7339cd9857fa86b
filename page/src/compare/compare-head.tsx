import { linkTo } from "../address/address.ts";
import { changeParameters, useAddress } from "../address/use-address.ts";
import { comparisonParameters, type LoadTestComparison, type Pair } from "../api/comparison.ts";
import { addressOf } from "../api/client.ts";
import type { LoadTestDetail } from "../api/load-tests.ts";
import { useFacetLink } from "../facets/use-facet-link.ts";
import { lasted } from "../format/numbers.ts";
import { afterStart, day, timeOfDay } from "../format/times.ts";
import { CopyButton, CopyCurl } from "../parts/copy-button.tsx";
import { saveText } from "../parts/save-file.ts";
import { Words } from "../parts/words.tsx";
import { ShareButton } from "../share/share-button.tsx";
import { comparisonCsv, comparisonMarkdown } from "./comparison-texts.ts";
import { shownRows } from "./shown-rows.ts";
import type { ShownPart } from "./shown-part.ts";
import { lengthOf } from "./use-compare-answers.ts";

interface CompareHeadProps {
  readonly both: Pair<LoadTestDetail>;
  readonly part: ShownPart;
  readonly comparison: LoadTestComparison | undefined;
}

/** The two load tests, the compared range and the exports. */
export function CompareHead({ both, part, comparison }: CompareHeadProps) {
  const { base, later } = both;
  return (
    <div class="load-test-head compare-head">
      <div>
        <h1>
          <Name loadTest={later} /> <span class="plain">with base</span> <Name loadTest={base} />
        </h1>
        <p class="facts">
          {whenOf(later)} with {whenOf(base)}
        </p>
      </div>
      <div class="actions">
        <Alignment both={both} part={part} />
        <Swap part={part} />
        <ShareButton loadTestId={part.compared.id} base={part.compared.base} />
        {comparison === undefined ? null : (
          <Takeaways both={both} part={part} comparison={comparison} />
        )}
      </div>
    </div>
  );
}

function Name({ loadTest: { id, name } }: { readonly loadTest: LoadTestDetail }) {
  const facetLink = useFacetLink();
  return (
    <a href={facetLink({ name: "load-test", id })}>
      {name} <span class="id">{id}</span>
    </a>
  );
}

function whenOf(loadTest: LoadTestDetail): string {
  const { from } = loadTest;
  if (from === null) return "no known time";
  return `${day(from, "local")}, ${timeOfDay(from, "local")}, ${lasted(lengthOf(loadTest))}`;
}

/** Seconds skipped by default, in load tests long enough. */
const RAMP_SECONDS = 60;
const RAMP_SHARE = 0.1;

/** Start and end of the comparison, for both. */
function Alignment({ both, part }: Pick<CompareHeadProps, "both" | "part">) {
  const { skipStart, until } = part.compared;
  const shorter = Math.min(lengthOf(both.base), lengthOf(both.later));
  // Without a known time there is no start.
  if (shorter === 0) return null;
  const ramp = Math.max(1, Math.min(RAMP_SECONDS, Math.floor(shorter * RAMP_SHARE)));
  return (
    <span class="alignment">
      <span>aligned at</span>
      <Words
        label="Aligned at"
        choices={[
          ["start", "start"],
          ["steady", "steady state"],
        ]}
        chosen={skipStart === 0 ? "start" : "steady"}
        onChoose={(choice) => skip(choice === "start" ? undefined : skipStart || ramp)}
      />
      {skipStart === 0 ? null : <SkipField seconds={skipStart} />}
      {until === undefined ? null : (
        <span class="chip set">
          {`to ${afterStart(until)}`}
          <button
            type="button"
            class="off"
            aria-label="Compare up to the end"
            title="Compare up to the end"
            onClick={() => changeParameters({ until: undefined })}
          >
            ✕
          </button>
        </span>
      )}
    </span>
  );
}

function skip(seconds: number | undefined): void {
  changeParameters({ skipStart: seconds === undefined ? undefined : String(seconds) });
}

function SkipField({ seconds }: { readonly seconds: number }) {
  return (
    <label class="skip">
      from{" "}
      <input
        type="number"
        min="1"
        aria-label="Seconds skipped at the start of both runs"
        value={seconds}
        onChange={({ currentTarget: { value } }) => {
          if (/^[1-9]\d{0,8}$/.test(value)) skip(Number(value));
        }}
      />{" "}
      s
    </label>
  );
}

/** Swaps the two; the rest of the view stays. */
function Swap({ part: { compared } }: Pick<CompareHeadProps, "part">) {
  const { parameters } = useAddress();
  const swapped = { name: "compare", base: compared.id, id: compared.base } as const;
  return (
    <a class="button" href={linkTo(swapped, parameters)}>
      Swap
    </a>
  );
}

interface TakeawaysProps extends CompareHeadProps {
  readonly comparison: LoadTestComparison;
}

/** The shown comparison in the table's order, for export. */
function Takeaways({ both, part, comparison }: TakeawaysProps) {
  const { compared } = part;
  const rows = shownRows(comparison.endpoints, part);
  const starts = { base: both.base.from ?? 0, later: both.later.from ?? 0 };
  const url = addressOf("compareLoadTests", comparisonParameters(compared, starts));
  return (
    <>
      <button
        type="button"
        class="quiet"
        title="Every endpoint shown, with the confidence interval of each difference"
        onClick={() => saveText(comparisonCsv(rows), `${compared.id} with ${compared.base}.csv`)}
      >
        CSV
      </button>
      <CopyButton
        name="Copy Markdown"
        title="Markdown table for a pull request, as written by tachograph compare --markdown"
        textOf={() => comparisonMarkdown({ ...comparison, endpoints: rows })}
      />
      <CopyCurl url={url} />
    </>
  );
}
