import { useMemo, useRef, useState } from "preact/hooks";
import { changeParameters, useAddress } from "../address/use-address.ts";
import { useAnswer } from "../api/use-answer.ts";
import {
  countTags,
  isLive,
  listLoadTests,
  type LoadTestPage,
  type TagCounts,
} from "../api/load-tests.ts";
import { count } from "../format/numbers.ts";
import { ListHead } from "../parts/list-head.tsx";
import { Refused } from "../shell/problem.tsx";
import { useTitle } from "../shell/use-title.ts";
import { UploadPanel } from "../upload/upload-panel.tsx";
import { useUploads } from "../upload/uploads.ts";
import { CompareBar } from "./compare-bar.tsx";
import { useDeletion } from "./deletion.ts";
import { ListRows } from "./list-rows.tsx";
import { NothingYet } from "./nothing-yet.tsx";
import { completions, type KnownTerms, withTerms } from "./search-terms.ts";
import { isServiceOrder, type RunOrder, runOrderOf } from "./sort-runs.ts";
import { TagFilter } from "./tag-filter.tsx";
import { ticksIn } from "./ticks.ts";

interface ListViewProps {
  /** Whether this tab's key may create keys. */
  readonly isAdministrator: boolean;
}

/** Load tests that match the search, latest start first. */
export function ListView({ isAdministrator }: ListViewProps) {
  const { parameters } = useAddress();
  const [search = "", tag, after] = ["search", "tag", "after"].map((name) => parameters.get(name));
  const ticks = ticksIn(parameters.get("ticked"));
  const order = runOrderOf(parameters.get("sort"), parameters.get("order"));
  const [changes, setChanges] = useState(0);
  const deletedCount = useDeletion().deletedCount;
  const { value, error, counts, choices } = useRuns(parameters, order, changes + deletedCount);
  const onChanged = (): void => setChanges((last) => last + 1);
  useTitle("Runs · Tachograph");
  if (value?.loadTests.length === 0 && !isFiltered(parameters)) {
    return (
      <main>
        <UploadPanel />
        <NothingYet isAdministrator={isAdministrator} />
      </main>
    );
  }
  return (
    <main>
      <ListHead
        title="Runs"
        listed={countOf(counts, tag)}
        name="Search by name, id, tag, tool, key:value or p95>500ms"
        placeholder="Name, tag, key:value, p95>500ms"
        choices={choices}
        text={search}
        onType={searchFor}
      />
      <UploadPanel />
      <Refused title="Couldn't load the runs" error={error} />
      <Unknown runs={value?.unknown} />
      {counts === undefined ? (
        <div class="tag-filter" />
      ) : (
        <TagFilter counts={counts} chosen={tag} />
      )}
      {value === undefined ? null : (
        <ListRows loadTests={value.loadTests} ticks={ticks} order={order} onChanged={onChanged} />
      )}
      {value?.loadTests.length === 0 ? <NoMatch /> : null}
      <Pages order={order} isFirst={after === undefined} next={value?.next ?? undefined} />
      <CompareBar
        ticks={ticks}
        parameters={parameters}
        matchingCount={countOf(counts, tag)}
        onChanged={onChanged}
      />
    </main>
  );
}

/** The page of the list in the URL, its tags, and what the search can go on with. */
function useRuns(parameters: ReadonlyMap<string, string>, order: RunOrder, changes: number) {
  const [search, tag, after] = ["search", "tag", "after"].map((name) => parameters.get(name));
  const limit = isServiceOrder(order) ? PAGE_ROWS : SORTED_ROWS_MAX;
  const version = useUploads().importedCount + changes;
  const { value, error } = useAnswer(
    "list",
    JSON.stringify([search, tag, after, limit]),
    (signal) => listLoadTests({ search, tag, after, limit }, signal),
    { version, everyMs },
  );
  const { value: counts } = useAnswer("tags", `${search}`, (signal) => countTags(search, signal), {
    version,
    everyMs: () => value && everyMs(value),
  });
  return { value, error, counts, choices: useChoices(search, value?.loadTests, counts) };
}

const PAGE_ROWS = 100;
/** Sorted by the page itself, as many as the service returns at once. */
const SORTED_ROWS_MAX = 1000;

function isFiltered(parameters: ReadonlyMap<string, string>): boolean {
  return ["search", "tag", "after"].some((name) => parameters.has(name));
}

/** How often a list with a running load test is refreshed. */
const LIVE_EVERY_MS = 5000;

function everyMs({ loadTests }: LoadTestPage): number | undefined {
  return loadTests.some((each) => isLive(each, Date.now())) ? LIVE_EVERY_MS : undefined;
}

/** Number of load tests on all pages; `undefined` until it is known. */
export function countOf(
  counts: TagCounts | undefined,
  tag: string | undefined,
): number | undefined {
  if (counts === undefined || tag === undefined) return counts?.loadTests;
  return counts.tags.find((each) => each.tag === tag)?.loadTests ?? 0;
}

/** What the search can go on with, by all runs that were listed. */
function useChoices(
  search: string | undefined,
  loadTests: LoadTestPage["loadTests"] = NO_RUNS,
  counts: TagCounts | undefined,
): readonly string[] {
  const known = useRef<KnownTerms>(new Map());
  return useMemo(() => {
    known.current = withTerms(known.current, loadTests, counts?.tags.map(({ tag }) => tag) ?? []);
    return completions(search ?? "", known.current);
  }, [search, loadTests, counts]);
}

const NO_RUNS: LoadTestPage["loadTests"] = [];

/** The URL follows every keystroke. */
function searchFor(typed: string): void {
  changeParameters({ search: typed === "" ? undefined : typed, after: undefined }, "replace");
}

function Unknown({ runs }: { readonly runs: number | undefined }) {
  if (runs === undefined) return null;
  const text = `${count(runs)} runs may be missing: their percentiles are not computed yet`;
  return <p class="hint">{text}</p>;
}

function NoMatch() {
  return (
    <p class="hint">
      No run matches.{" "}
      <button type="button" onClick={showAll}>
        Show all
      </button>
    </p>
  );
}

function showAll(): void {
  changeParameters({ search: undefined, tag: undefined, after: undefined });
}

interface PagesProps {
  readonly order: RunOrder;
  readonly isFirst: boolean;
  /** Cursor of the next page. */
  readonly next: string | undefined;
}

/** Each page has a URL; the browser's Back button goes back. */
function Pages({ order, isFirst, next }: PagesProps) {
  if (!isServiceOrder(order)) {
    if (next === undefined) return null;
    return <p class="hint">{`Only the latest ${count(SORTED_ROWS_MAX)} runs are sorted`}</p>;
  }
  return (
    <p class="pages">
      {isFirst ? null : (
        <button type="button" onClick={() => turnTo(undefined)}>
          Newest
        </button>
      )}
      {next === undefined ? null : (
        <button type="button" onClick={() => turnTo(next)}>
          Older
        </button>
      )}
    </p>
  );
}

function turnTo(after: string | undefined): void {
  changeParameters({ after });
  scrollTo(0, 0);
}
