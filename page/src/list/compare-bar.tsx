import { useContext } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import { changeParameters } from "../address/use-address.ts";
import { type ListRequest, listLoadTests, type LoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { dayAndTime } from "../format/times.ts";
import { runsText } from "../format/numbers.ts";
import { MayWriteContext } from "../shell/may-write.ts";
import { BulkButton } from "./bulk-button.tsx";
import { ALL, baseFirst, beganAt, COMPARED_MAX } from "./ticks.ts";

interface CompareBarProps {
  /** Ids of ticked load tests, on any page of the list, or `ALL`. */
  readonly ticks: readonly string[];
  /** Parameters in the URL: `swapped`, and the search whose results `ALL` selects. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Number of runs that match the search. */
  readonly matchingCount: number | undefined;
  /** Called when runs were changed. */
  readonly onChanged: () => void;
}

/** At the bottom: the ticked load tests, which is the base, and what can be done with them. */
export function CompareBar(props: CompareBarProps) {
  const { ticks, parameters, matchingCount, onChanged } = props;
  const isSwapped = parameters.has("swapped");
  const mayWrite = useContext(MayWriteContext);
  const isAll = ticks.includes(ALL);
  const request: ListRequest = isAll
    ? { search: parameters.get("search"), tag: parameters.get("tag") }
    : { runs: ticks.join(",") };
  const { value, error } = useAnswer("ticked", isAll ? "" : ticks.join(","), (signal) =>
    listLoadTests(request, signal),
  );
  if (ticks.length === 0) return null;
  // An answer about earlier ticks does not apply to the current ones.
  const ticked = ticks.flatMap((id) => value?.loadTests.find((each) => each.id === id) ?? []);
  return (
    <div class="compare-bar" role="region" aria-label="Selected runs">
      <span class="compare-words" role="status">
        {isAll && matchingCount !== undefined ? (
          <b>{`All ${runsText(matchingCount)} that match`}</b>
        ) : error === undefined ? (
          <Words ticked={ticked} isSwapped={isSwapped} />
        ) : (
          error.message
        )}
      </span>
      {ticked.length < 2 ? null : (
        <button
          type="button"
          class="quiet"
          onClick={() => changeParameters({ swapped: isSwapped ? undefined : "yes" }, "replace")}
        >
          Swap
        </button>
      )}
      <button type="button" class="quiet clear" onClick={untick}>
        Clear
      </button>
      <BulkButton {...{ request, mayWrite, onChanged }} onDeleted={untick} />
      {isAll ? null : <CompareLink ticked={ticked} isSwapped={isSwapped} />}
    </div>
  );
}

function untick(): void {
  changeParameters({ ticked: undefined, swapped: undefined }, "replace");
}

interface TickedProps {
  readonly ticked: readonly LoadTest[];
  readonly isSwapped: boolean;
}

function Words({ ticked, isSwapped }: TickedProps) {
  const [base, later] = baseFirst(ticked, isSwapped);
  if (base === undefined) return null;
  if (ticked.length > COMPARED_MAX) {
    return (
      <>
        <b>{runsText(ticked.length)}</b>{" "}
        <span class="rest">{`select at most ${COMPARED_MAX} to compare`}</span>
      </>
    );
  }
  if (later === undefined) {
    return (
      <>
        Compare <Name loadTest={base} /> <span class="rest">with others: tick them</span>
      </>
    );
  }
  return (
    <>
      Compare {ticked.length === 2 ? <Name loadTest={later} /> : <b>{`${ticked.length} runs`}</b>}{" "}
      <span class="rest">with base</span> <Name loadTest={base} />
    </>
  );
}

function Name({ loadTest }: { readonly loadTest: LoadTest }) {
  const when = dayAndTime(beganAt(loadTest), Date.now() / 1000, "local");
  return (
    <span class="ticked-name">
      <b>{loadTest.name}</b> <span class="id">{loadTest.id}</span>{" "}
      {when.replace(/^(Today|Yesterday)/, (word) => word.toLowerCase())}
    </span>
  );
}

function CompareLink({ ticked, isSwapped }: TickedProps) {
  const inOrder = baseFirst(ticked, isSwapped);
  const [base, later] = inOrder;
  if (base === undefined || later === undefined || ticked.length > COMPARED_MAX) {
    return (
      <button type="button" disabled>
        Compare
      </button>
    );
  }
  const link =
    inOrder.length === 2
      ? linkTo({ name: "compare", base: base.id, id: later.id })
      : linkTo({ name: "compare-runs" }, new Map([["runs", inOrder.map(({ id }) => id).join()]]));
  return (
    <a class="button filled" href={link}>
      Compare
    </a>
  );
}
