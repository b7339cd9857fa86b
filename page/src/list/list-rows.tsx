import type { LoadTest } from "../api/load-tests.ts";
import { ListRow } from "./list-row.tsx";

/** A page of the list. */
export function ListRows({ loadTests }: { readonly loadTests: readonly LoadTest[] }) {
  if (loadTests.length === 0) return null;
  return (
    <table class="rows load-tests">
      <thead>
        <tr>
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
          <ListRow key={loadTest.id} loadTest={loadTest} />
        ))}
      </tbody>
    </table>
  );
}
