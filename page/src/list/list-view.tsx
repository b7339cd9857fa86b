import { useEffect, useRef, useState } from "preact/hooks";
import { changeParameters, useAddress } from "../address/use-address.ts";
import { listLoadTests, type LoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { useKeys } from "../shell/keyboard.ts";
import { Problem } from "../shell/problem.tsx";
import { Uploads } from "../upload/uploads.tsx";
import { ListRow } from "./list-row.tsx";
import { TagFilter } from "./tag-filter.tsx";

/** All load tests, newest first, as far as they match what is typed. */
export function ListView({ onKeyRefused }: { readonly onKeyRefused: () => void }) {
  const { parameters } = useAddress();
  const [version, setVersion] = useState(0);
  const wish = {
    search: parameters.get("search"),
    tag: parameters.get("tag"),
    after: parameters.get("after"),
  };
  const { value, error } = useAnswer(
    JSON.stringify(wish),
    (signal) => listLoadTests(wish, signal),
    version,
  );
  useEffect(() => {
    if (error?.status === 401) onKeyRefused();
  }, [error]);
  return (
    <main>
      <div class="list-head">
        <h1>
          Load tests{" "}
          <span class="number">{value?.next === null ? value.loadTests.length : ""}</span>
        </h1>
        <SearchField text={wish.search ?? ""} />
        <Uploads onImported={() => setVersion((last) => last + 1)} />
      </div>
      {error === undefined ? null : (
        <Problem title="The load tests cannot be shown">
          <p>{error.message}</p>
        </Problem>
      )}
      {value === undefined ? null : <TagFilter loadTests={value.loadTests} chosen={wish.tag} />}
      {value === undefined ? null : (
        <Rows loadTests={value.loadTests} isFiltered={isFiltered(wish)} />
      )}
      <p class="pages">
        {wish.after === undefined ? null : (
          <button type="button" onClick={() => changeParameters({ after: undefined })}>
            Newest
          </button>
        )}
        {value?.next ? (
          <button
            type="button"
            onClick={() => changeParameters({ after: value.next ?? undefined })}
          >
            Older
          </button>
        ) : null}
      </p>
    </main>
  );
}

function isFiltered({ search, tag, after }: Readonly<Record<string, string | undefined>>): boolean {
  return [search, tag, after].some((value) => value !== undefined);
}

/** `/` puts the cursor here; what is typed is in the address at once. */
function SearchField({ text }: { readonly text: string }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  return (
    <span class="field">
      <input
        ref={field}
        type="search"
        aria-label="Search by name, id or tag"
        placeholder="Name, id or tag"
        value={text}
        onInput={(event) => searchFor(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}

function searchFor(typed: string): void {
  changeParameters({ search: typed === "" ? undefined : typed, after: undefined }, "replace");
}

function Rows({
  loadTests,
  isFiltered: isNarrowed,
}: {
  readonly loadTests: readonly LoadTest[];
  readonly isFiltered: boolean;
}) {
  if (loadTests.length === 0) {
    return isNarrowed ? <p class="hint">No load test matches.</p> : <Nothing />;
  }
  return (
    <table class="rows">
      <thead>
        <tr>
          <th class="dot">
            <span class="hidden-text">live</span>
          </th>
          <th>name</th>
          <th class="id">id</th>
          <th class="tool">tool</th>
          <th class="started">started</th>
          <th class="numeric lasted">lasted</th>
          <th class="numeric count">requests</th>
          <th class="numeric">failed</th>
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

function Nothing() {
  return (
    <div class="hint">
      <p>Nothing here yet. A result file of any load tool makes the first load test:</p>
      <p>
        <code>tachograph import results.jtl</code>
      </p>
      <p>or drop one here.</p>
    </div>
  );
}
