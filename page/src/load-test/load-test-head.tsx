import { useState } from "preact/hooks";
import { linkTo, addressTo } from "../address/address.ts";
import { type Scope, type Summary, askReport } from "../api/figures.ts";
import type { RunningLimit } from "../api/live.ts";
import { type LoadTestDetail, mayBegin } from "../api/load-tests.ts";
import type { Verdict } from "../api/thresholds.ts";
import { LINK_KEY } from "../api/link-key.ts";
import { isBaseline } from "../api/trend.ts";
import { BaselineButton } from "../parts/baseline-button.tsx";
import { CopyCurl } from "../parts/copy-button.tsx";
import { ChooseBase } from "./choose-base.tsx";
import { type Live, PauseButton } from "./live.tsx";
import { ShareButton } from "../share/share-button.tsx";
import { CsvButton } from "./charts/csv-button.tsx";
import { ThresholdsButton } from "./thresholds/thresholds-button.tsx";
import { RunningLimits, VerdictLine } from "./thresholds/verdict-line.tsx";
import { DescribeButton } from "../description/describe-button.tsx";
import { Description } from "../description/description.tsx";
import { Facts } from "./facts.tsx";
import { FilesButton } from "./files-button.tsx";
import type { Clock } from "./clock.ts";
import { Popup } from "../parts/popup.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useHasSamples } from "./samples/asked-samples.tsx";

interface LoadTestHeadProps {
  readonly loadTest: LoadTestDetail;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly clock: Clock;
  readonly formatTime: (second: number) => string;
  /** The operation behind the shown data. */
  readonly secondsUrl: string;
  readonly scope: Scope;
  /** The table's rows: all, or the first. */
  readonly listed: Summary | undefined;
  readonly resolution: number;
  readonly live: Live;
  readonly verdict: Verdict | undefined;
  /** Whether the verdict is of a part of a run that grows, or grew. */
  readonly isVerdictSoFar: boolean;
  /** Why there is no verdict for the current data. */
  readonly verdictRefusal: string | undefined;
  /** Thresholds over windows, while the load test runs. */
  readonly limits: readonly RunningLimit[];
  /** Call after thresholds were edited. */
  readonly onEdited: () => void;
  /** Call after the load test was changed. */
  readonly onChanged: () => void;
}

/** The header of a load test, with its exports. */
export function LoadTestHead(props: LoadTestHeadProps) {
  const { loadTest, clock, formatTime, secondsUrl, live, onChanged, ...shown } = props;
  const { onEdited } = shown;
  // A limit such as `throughput < 10/s` is broken by no requests at all.
  const verdict = mayBegin(loadTest, Date.now()) ? undefined : shown.verdict;
  const { id, name } = loadTest;
  return (
    <div class="load-test-head">
      <div>
        <h1>
          {name} <span class="id">{id}</span>
        </h1>
      </div>
      <div class="actions in-menu">
        <PauseButton {...live} />
        {LINK_KEY === undefined ? (
          <>
            <ChooseBase loadTest={loadTest} scope={shown.scope} />
            <a
              class="button"
              href={linkTo({ name: "trend", series: name }, new Map([["at", id]]))}
              title={`All runs named ${name}, and which of them introduced a change`}
            >
              History
            </a>
          </>
        ) : null}
        <ThresholdsButton {...{ name, verdict, formatTime, onEdited }} />
        <BaselineButton
          id={id}
          name={name}
          isBaseline={isBaseline(loadTest)}
          onChanged={onChanged}
        />
        <DescribeButton loadTest={loadTest} onChanged={onChanged} />
        <FilesButton id={id} />
        <CsvButton {...shown} />
        <CopyCurl url={secondsUrl} />
        <ShareButton loadTestId={id} base={undefined} />
        <ReportButton scope={shown.scope} version={shown.version} />
      </div>
      <div class="about">
        <VerdictLine
          verdict={verdict}
          refusal={props.verdictRefusal}
          isJudged={loadTest.tags.some((tag) => tag.startsWith("thresholds-"))}
          isSoFar={props.isVerdictSoFar}
          formatTime={formatTime}
        />
        {live.isGrowing ? <RunningLimits limits={shown.limits} formatTime={formatTime} /> : null}
        <Facts loadTest={loadTest} clock={clock} isLive={live.isGrowing} />
        <Description loadTest={loadTest} />
      </div>
    </div>
  );
}

const TITLE = "This view as one file that opens without the server";

interface ReportButtonProps {
  readonly scope: Scope;
  readonly version: number;
}

/** Saves the scope, whatever is selected. Offers to include single requests, if there are any. */
function ReportButton({ scope, version }: ReportButtonProps) {
  const hasSamples = useHasSamples(scope.id, version);
  if (!hasSamples) return <SaveReport name="Report" scope={scope} />;
  return (
    <Popup button="Report…" buttonClass="quiet" side="right">
      {() => <ReportChoice scope={scope} />}
    </Popup>
  );
}

function ReportChoice({ scope }: Pick<ReportButtonProps, "scope">) {
  const [samples, setSamples] = useState(false);
  return (
    <section class="share" aria-label="Report">
      <label>
        <input
          type="checkbox"
          checked={samples}
          onChange={({ currentTarget }) => setSamples(currentTarget.checked)}
        />
        {" Include single requests with URLs, headers and bodies"}
      </label>
      <SaveReport name="Save report" scope={scope} samples={samples} />
    </section>
  );
}

interface SaveReportProps extends Pick<ReportButtonProps, "scope"> {
  readonly name: string;
  readonly samples?: boolean;
}

function SaveReport({ name, scope, samples = false }: SaveReportProps) {
  async function save(): Promise<void> {
    const address = `${location.origin}${addressTo({ name: "load-test", id: scope.id })}`;
    saveFile(await askReport(scope, address, samples), `${scope.id}.html`);
  }
  return <SaveButton name={name} title={TITLE} save={save} />;
}
