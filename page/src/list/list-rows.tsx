import type { LoadTest } from "../api/load-tests.ts";
import { moveFocus } from "../parts/move-focus.ts";
import { useKeys } from "../shell/keyboard.ts";
import { ListRow } from "./list-row.tsx";
import { tick } from "./tick-box.tsx";

interface ListRowsProps {
  readonly loadTests: readonly LoadTest[];
  /** Ids of ticked load tests, on any page. */
  readonly ticks: readonly string[];
}

/** A page of the list: arrow keys move between rows, the space bar ticks. */
export function ListRows({ loadTests, ticks }: ListRowsProps) {
  useKeys({
    ArrowDown: () => moveFocus(1, ".name a"),
    ArrowUp: () => moveFocus(-1, ".name a"),
    " ": () => tickFocused(ticks),
  });
  if (loadTests.length === 0) return null;
  const ofName = Map.groupBy(loadTests, ({ name }) => name);
  return (
    <table class="rows load-tests">
      <thead>
        <tr>
          <th class="tick">
            <span class="hidden-text">compare</span>
          </th>
          <th class="dot">
            <span class="hidden-text">live</span>
          </th>
          <th class="name">name</th>
          <th class="id">id</th>
          <th class="tool">tool</th>
          <th class="started" aria-sort="descending">
            started ▾
          </th>
          <th class="numeric lasted">lasted</th>
          <th class="numeric count">requests</th>
          <th class="numeric failed">failed</th>
          <th class="numeric p95">p95</th>
          <th class="over-time">requests/s and failed</th>
          <th class="tags">tags</th>
        </tr>
      </thead>
      <tbody>
        {loadTests.map((loadTest) => (
          <ListRow
            key={loadTest.id}
            loadTest={loadTest}
            beginsHistory={isLatestOfSome(ofName.get(loadTest.name) ?? [], loadTest)}
            ticks={ticks}
          />
        ))}
      </tbody>
    </table>
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
  if (id === undefined) return true;
  tick(ticks, id);
  return false;
}
