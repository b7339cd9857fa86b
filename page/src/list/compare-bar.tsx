import { linkTo } from "../address/address.ts";
import { changeParameters } from "../address/use-address.ts";
import { type LoadTest, showLoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { dayAndTime } from "../format/times.ts";
import { baseFirst, beganAt, TICKS_MAX } from "./ticks.ts";

interface CompareBarProps {
  /** Ids of ticked load tests, on any page of the list. */
  readonly ticks: readonly string[];
  readonly isSwapped: boolean;
}

/** At the bottom: the ticked load tests, and which is the base. */
export function CompareBar({ ticks, isSwapped }: CompareBarProps) {
  const { value, error } = useAnswer("ticked", ticks.join(","), (signal) =>
    Promise.all(ticks.map((id) => showLoadTest(id, signal))),
  );
  if (ticks.length === 0) return null;
  // An answer about earlier ticks does not apply to the current ones.
  const ticked = ticks.flatMap((id) => value?.find((each) => each.id === id) ?? []);
  return (
    <div class="compare-bar" role="region" aria-label="Selected runs">
      <span class="compare-words" role="status">
        {error === undefined ? <Words ticked={ticked} isSwapped={isSwapped} /> : error.message}
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
      <button
        type="button"
        class="quiet clear"
        onClick={() => changeParameters({ ticked: undefined, swapped: undefined }, "replace")}
      >
        Clear
      </button>
      <CompareLink ticked={ticked} isSwapped={isSwapped} />
    </div>
  );
}

interface TickedProps {
  readonly ticked: readonly LoadTest[];
  readonly isSwapped: boolean;
}

function Words({ ticked, isSwapped }: TickedProps) {
  const [base, later] = baseFirst(ticked, isSwapped);
  if (base === undefined) return null;
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
      {ticked.length === TICKS_MAX ? <span class="rest"> as many as fit</span> : null}
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
  if (base === undefined || later === undefined) {
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
