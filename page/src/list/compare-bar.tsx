import { linkTo } from "../address/address.ts";
import { changeParameters } from "../address/use-address.ts";
import { type LoadTest, showLoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { dayAndTime } from "../format/times.ts";
import { beganAt, inOrder } from "./ticks.ts";

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
  const [first, second] = ticked;
  if (first === undefined) return null;
  if (second === undefined) {
    return (
      <>
        Compare <Name loadTest={first} /> <span class="rest">with another one: tick it</span>
      </>
    );
  }
  const { base, later } = inOrder([first, second], isSwapped);
  return (
    <>
      Compare <Name loadTest={later} /> <span class="rest">with base</span> <Name loadTest={base} />
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

function CompareLink({ ticked: [first, second], isSwapped }: TickedProps) {
  if (first === undefined || second === undefined) {
    return (
      <button type="button" disabled>
        Compare
      </button>
    );
  }
  const { base, later } = inOrder([first, second], isSwapped);
  const address = { name: "compare", base: base.id, id: later.id } as const;
  return (
    <a class="button filled" href={linkTo(address)}>
      Compare
    </a>
  );
}
