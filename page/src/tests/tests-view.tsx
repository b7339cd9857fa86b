import { changeParameters, useAddress } from "../address/use-address.ts";
import { listTests, type Tests } from "../api/tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { count } from "../format/numbers.ts";
import { NothingYet } from "../list/nothing-yet.tsx";
import { moveFocus } from "../parts/move-focus.ts";
import { ListHead } from "../parts/list-head.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { Refused } from "../shell/problem.tsx";
import { useTitle } from "../shell/use-title.ts";
import { UploadPanel } from "../upload/upload-panel.tsx";
import { useUploads } from "../upload/uploads.ts";
import { UnreadRuns } from "../list/unread-runs.tsx";
import { TestRow } from "./test-row.tsx";

interface TestsViewProps {
  /** Whether this tab's key may create keys. */
  readonly isAdministrator: boolean;
}

/** Home: whether each test is fine, by its last runs. */
export function TestsView({ isAdministrator }: TestsViewProps) {
  const { parameters } = useAddress();
  const search = parameters.get("search") || undefined;
  const { value, error } = useAnswer("tests", `${search}`, (signal) => listTests(search, signal), {
    version: useUploads().importedCount,
    everyMs,
  });
  useTitle("Tests · Tachograph");
  useKeys({
    ArrowDown: () => moveFocus(1, ".name a"),
    ArrowUp: () => moveFocus(-1, ".name a"),
  });
  if (value?.tests.length === 0 && search === undefined) {
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
        title="Tests"
        listed={value && value.tests.length + value.leftOut.tests}
        name="Search by name"
        placeholder="Name"
        text={search ?? ""}
        onType={(typed) =>
          changeParameters({ search: typed === "" ? undefined : typed }, "replace")
        }
      />
      <UploadPanel />
      <Refused title="Couldn't load the tests" error={error} />
      {value === undefined || value.tests.length === 0 ? null : <TestsTable tests={value.tests} />}
      {value?.tests.length === 0 ? <p class="hint">No test matches.</p> : null}
      {value === undefined ? null : <LeftOut {...value} />}
    </main>
  );
}

const [AGAIN_MS, REST_MS] = [500, 15_000];

/** Often while tests are still being computed, otherwise to notice new runs and verdicts. */
function everyMs({ tests }: Tests): number {
  return tests.some(({ state }) => state === "pending") ? AGAIN_MS : REST_MS;
}

function TestsTable({ tests }: Pick<Tests, "tests">) {
  return (
    <table class="rows tests">
      <thead>
        <tr>
          <th class="name">test</th>
          <th class="dots" title="● passed, ✗ failed, ○ not evaluated; the latest at the right">
            thresholds
          </th>
          <th class="over-time">p95 by run</th>
          <th class="numeric p95">p95</th>
          <th class="numeric failed">failed</th>
          <th class="state">last change</th>
          <th class="started">last run</th>
          <th class="numeric runs">runs</th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <TestRow key={test.name} test={test} />
        ))}
      </tbody>
    </table>
  );
}

function LeftOut({ leftOut: { tests, hasOlder }, tests: shown }: Tests) {
  const texts = [
    ...(tests === 0 ? [] : [`${count(tests)} further tests: search for their names`]),
    ...(hasOlder ? ["tests without any of the latest 5,000 runs are not listed"] : []),
  ];
  return (
    <>
      {texts.length === 0 ? null : <p class="hint">{texts.join("; ")}</p>}
      <UnreadRuns unread={shown.flatMap(({ unread = [] }) => unread)} />
    </>
  );
}
