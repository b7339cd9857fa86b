import { type View, linkTo } from "./address/address.ts";
import { LINK_KEY } from "./api/link-key.ts";
import { useAddress } from "./address/use-address.ts";
import { CompareRunsView } from "./compare-runs/compare-runs-view.tsx";
import { CompareView } from "./compare/compare-view.tsx";
import { KeysView } from "./keys/keys-view.tsx";
import { DeletionBar } from "./list/deletion-bar.tsx";
import { ListView } from "./list/list-view.tsx";
import { LoadTestView } from "./load-test/load-test-view.tsx";
import { Header } from "./shell/header.tsx";
import { KeyForm } from "./shell/key-form.tsx";
import { MayWriteContext } from "./shell/may-write.ts";
import { useOwnKey } from "./shell/use-own-key.ts";
import { Problem } from "./shell/problem.tsx";
import { TestsView } from "./tests/tests-view.tsx";
import { TrendView } from "./trend/trend-view.tsx";
import { DropFrame } from "./upload/drop-frame.tsx";
import { UploadPanel } from "./upload/upload-panel.tsx";
import { UploadSheet } from "./upload/upload-sheet.tsx";
import { useTitle } from "./shell/use-title.ts";
import { useOutage } from "./api/outage.ts";
import { timeOfDay } from "./format/times.ts";

/** The whole page: what the URL selects, once there is a key. */
export function App() {
  const { view } = useAddress();
  const { hasKey, hasEnded, scopes, project, take } = useOwnKey();
  const isAdministrator = scopes.includes("admin");
  const mayWrite = scopes.includes("write") || isAdministrator;
  return (
    <MayWriteContext.Provider value={mayWrite}>
      <Header view={view} isSignedIn={hasKey} {...{ isAdministrator, project }} />
      {hasKey && mayWrite ? (
        <>
          <DropFrame />
          <UploadSheet view={view} />
        </>
      ) : null}
      <DeletionBar />
      {hasKey && view.name !== "list" && view.name !== "tests" ? <UploadPanel /> : null}
      {hasKey ? (
        <Shown view={view} isAdministrator={isAdministrator} />
      ) : LINK_KEY === undefined ? (
        <KeyForm hasEnded={hasEnded} onKey={take} />
      ) : (
        <LinkEnded />
      )}
      <OutageNotice />
    </MayWriteContext.Provider>
  );
}

interface ShownProps {
  readonly view: View;
  readonly isAdministrator: boolean;
}

function Shown({ view, isAdministrator }: ShownProps) {
  switch (view.name) {
    case "tests":
      return <TestsView isAdministrator={isAdministrator} />;
    case "list":
      return <ListView isAdministrator={isAdministrator} />;
    case "load-test":
      return <LoadTestView key={view.id} id={view.id} />;
    case "compare":
      return <CompareView key={`${view.base} ${view.id}`} {...view} />;
    case "compare-runs":
      return <CompareRunsView />;
    case "trend":
      return <TrendView key={view.series} series={view.series} />;
    case "keys":
      return <KeysView />;
    case "nowhere":
      return <Nowhere lacks={view.lacks} />;
    default:
      throw new Error(`BUG: no view ${JSON.stringify(view satisfies never)}`);
  }
}

function LinkEnded() {
  useTitle("Link · Tachograph");
  return (
    <main>
      <Problem title="This link does not work any more">
        <p>It was revoked, or it has expired. Ask its sender for another.</p>
      </Problem>
    </main>
  );
}

function Nowhere({ lacks }: Pick<Extract<View, { name: "nowhere" }>, "lacks">) {
  useTitle("Not found · Tachograph");
  return (
    <main>
      <Problem title="Page not found">
        {lacks === undefined ? null : (
          <p>A comparison needs two runs: /compare/BASE/ID, or /compare?runs=BASE,ID,ID.</p>
        )}
        <p>
          <a class="button" href={linkTo({ name: "list" })}>
            All runs
          </a>
        </p>
      </Problem>
    </main>
  );
}

/** Overlays the bottom of the view during an outage, so that nothing moves. */
function OutageNotice() {
  const outage = useOutage();
  if (outage === undefined) return null;
  return (
    <p class="outage" role="alert">
      <span class="slow" aria-hidden="true">
        ▲
      </span>{" "}
      <b>{outage.message}</b>{" "}
      <span class="rest">
        {`Showing data of ${timeOfDay(outage.sinceSecond, "local")}; retrying.`}
      </span>
    </p>
  );
}
