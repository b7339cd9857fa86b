import type { LoadTest } from "../api/load-tests.ts";
import { moveFocus } from "../parts/move-focus.ts";
import { useKeys } from "../shell/keyboard.ts";
import { useContext } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import { MayWriteContext } from "../shell/may-write.ts";
import { ListRow } from "./list-row.tsx";
import { nextOrder, type RunColumn, type RunOrder, sortedRuns } from "./sort-runs.ts";
import { tick, TickAll } from "./tick-box.tsx";
import { ALL } from "./ticks.ts";
import { UnreadRuns } from "./unread-runs.tsx";
import { useDigests } from "./use-digests.ts";

interface ListRowsProps {
  /** Latest start first. */
  readonly loadTests: readonly LoadTest[];
  /** Ids of ticked load tests, on any page, or `ALL`. */
  readonly ticks: readonly string[];
  readonly order: RunOrder;
  /** Called when a load test was changed or deleted. */
  readonly onChanged: () => void;
}

/** A page of the list: arrow keys move between rows, the space bar ticks. */
export function ListRows({ loadTests, ticks, order, onChanged }: ListRowsProps) {
  const mayWrite = useContext(MayWriteContext);
  useKeys({
    ArrowDown: () => moveFocus(1, ".name a"),
    ArrowUp: () => moveFocus(-1, ".name a"),
    " ": () => tickFocused(ticks),
  });
  const { byId: digests, unread } = useDigests(loadTests);
  if (loadTests.length === 0) return null;
  const sorted = sortedRuns(loadTests, order, digests);
  const ofName = Map.groupBy(sorted, ({ name }) => name);
  return (
    <>
      <table class="rows load-tests">
        <thead>
          <tr>
            <th class="tick">
              <TickAll ticks={ticks} />
            </th>
            <th class="dot">
              <span class="hidden-text">live</span>
            </th>
            <Head column="thresholds" order={order} />
            <Head column="name" order={order} />
            <th class="id">id</th>
            <Head column="tool" order={order} />
            <Head column="started" order={order} />
            <Head column="lasted" order={order} />
            <Head column="requests" order={order} />
            <Head column="failed" order={order} />
            <Head column="p95" order={order} />
            <th class="over-time">requests/s and failed</th>
            <th class="tags">tags</th>
            {mayWrite ? (
              <th class="change">
                <span class="hidden-text">change</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {sorted.map((loadTest) => (
            <ListRow
              key={loadTest.id}
              loadTest={loadTest}
              beginsHistory={isLatestOfSome(ofName.get(loadTest.name) ?? [], loadTest)}
              ticks={ticks}
              digest={digests.get(loadTest.id)}
              onChanged={mayWrite ? onChanged : undefined}
            />
          ))}
        </tbody>
      </table>
      <UnreadRuns unread={unread} />
    </>
  );
}

const HEAD_CLASSES: Readonly<Record<RunColumn, string>> = {
  thresholds: "verdict",
  name: "name",
  tool: "tool",
  started: "started",
  lasted: "numeric lasted",
  requests: "numeric count",
  failed: "numeric failed",
  p95: "numeric p95",
};

/** A column header: a click sorts by it, or reverses the order. */
function Head({ column, order }: { readonly column: RunColumn; readonly order: RunOrder }) {
  const { isAscending } = order;
  const isSorted = order.column === column;
  const sorting = isSorted
    ? ({ "aria-sort": isAscending ? "ascending" : "descending" } as const)
    : {};
  return (
    <th class={HEAD_CLASSES[column]} {...sorting}>
      <button
        type="button"
        class="word"
        onClick={() => changeParameters({ ...nextOrder(order, column), after: undefined })}
      >
        {column === "thresholds" ? (
          <span title="thresholds">
            <span aria-hidden="true">✓</span>
            <span class="hidden-text">thresholds</span>
          </span>
        ) : (
          column
        )}
        {isSorted ? (isAscending ? " ▴" : " ▾") : ""}
      </button>
    </th>
  );
}

/** One link per name is enough. */
function isLatestOfSome(sameName: readonly LoadTest[], loadTest: LoadTest): boolean {
  return sameName.length > 1 && sameName[0] === loadTest;
}

/** A focused checkbox handles the space bar itself. */
function tickFocused(ticks: readonly string[]): boolean {
  const link = document.activeElement?.closest("tbody .name a");
  const id = link?.closest("tr")?.dataset["loadTest"];
  if (id === undefined || ticks.includes(ALL)) return true;
  tick(ticks, id);
  return false;
}
