import { useEffect, useRef } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import { changeParameters, useAddress } from "../address/use-address.ts";
import { isLive, listLoadTests, type LoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { count, lasted, share, shortCount } from "../format/numbers.ts";
import { dayAndTime } from "../format/times.ts";
import { useKeys } from "../shell/keyboard.ts";
import { Problem } from "../shell/problem.tsx";

/** All load tests, newest first, as far as they match what is typed. */
export function ListView({ onKeyRefused }: { readonly onKeyRefused: () => void }) {
  const { parameters } = useAddress();
  const wish = {
    search: parameters.get("search"),
    tag: parameters.get("tag"),
    after: parameters.get("after"),
  };
  const { value, error } = useAnswer(JSON.stringify(wish), (signal) => listLoadTests(wish, signal));
  useEffect(() => {
    if (error?.status === 401) onKeyRefused();
  }, [error]);
  return (
    <main>
      <div class="list-head">
        <h1>Load tests</h1>
        <SearchField text={wish.search ?? ""} />
      </div>
      {error === undefined ? null : (
        <Problem title="The load tests cannot be shown">
          <p>{error.message}</p>
        </Problem>
      )}
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
          <th>name</th>
          <th>id</th>
          <th>started</th>
          <th class="numeric">lasted</th>
          <th class="numeric">requests</th>
          <th class="numeric">failed</th>
          <th class="numeric">endpoints</th>
          <th>tags</th>
        </tr>
      </thead>
      <tbody>
        {loadTests.map((loadTest) => (
          <Row key={loadTest.id} loadTest={loadTest} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ loadTest }: { readonly loadTest: LoadTest }) {
  const { id, name, requests, failedRequests, endpoints, tags } = loadTest;
  const { from = Date.parse(loadTest.createdAt) / 1000, until } = loadTest;
  const now = Date.now();
  const failed = share(requests === 0 ? 0 : failedRequests / requests);
  const isFailing = failedRequests > requests / 100;
  const length = until === undefined ? "–" : lasted(until - from + 1);
  return (
    <tr>
      <td class="name">
        <a href={linkTo({ name: "load-test", id })}>{name}</a>
      </td>
      <td class="id">{id}</td>
      <td>{dayAndTime(from, now / 1000, "local")}</td>
      <td class="numeric">
        {isLive(loadTest, now) ? <span class="live-dot" role="img" aria-label="live" /> : null}
        {length}
      </td>
      <td class="numeric" title={count(requests)}>
        {shortCount(requests)}
      </td>
      <td class={`numeric ${isFailing ? "failing" : ""}`} title={count(failedRequests)}>
        {isFailing ? "! " : ""}
        {failed.digits}
        <span class="unit">{failed.unit}</span>
      </td>
      <td class="numeric">{count(endpoints)}</td>
      <td>{tags.join(", ")}</td>
    </tr>
  );
}

function Nothing() {
  return (
    <div class="hint">
      <p>Nothing here yet. A result file of any load tool makes the first load test:</p>
      <p>
        <code>tachograph import results.jtl</code>
      </p>
    </div>
  );
}
