import type { OverallFigures } from "../api/figures.ts";
import { bytes, count, duration, type Quantity, rate, share } from "../format/numbers.ts";
import { wholeText } from "../format/whole.ts";
import { REPORTED } from "./endpoints/endpoint-columns.ts";
import { Quality } from "./quality.tsx";

interface TilesProps {
  readonly figures: OverallFigures | undefined;
}

/** The figures of what is shown, as one, and below them what they cannot tell. */
export function Tiles({ figures }: TilesProps) {
  return (
    <>
      <Figures figures={figures} />
      <Quality sentences={figures?.quality.map(({ message }) => message) ?? []} />
    </>
  );
}

/** Every one a merge, none an average of averages. */
function Figures({ figures }: TilesProps) {
  if (figures === undefined) return <dl class="tiles figures" aria-hidden="true" />;
  if (figures.count === 0) return <NoFigures />;
  const { count: requests, errCount, errRate } = figures;
  const failed = share(errRate);
  const whole = wholeText(figures);
  const titled = (title: string) => (whole === "" ? title : `${title}; ${whole}`);
  const most = (percent: number) =>
    figures.percentiles === "unknown"
      ? "Not recorded: only averages are known"
      : titled(
          `${percent} % of ${count(requests)} requests took at most this long` +
            (figures.percentiles === "reported" ? `; ${REPORTED}` : ""),
        );
  return (
    <dl class="tiles figures">
      <Tile
        name="requests"
        title={titled("Requests, failed ones included")}
        {...plain(count(requests))}
      />
      <div
        class={`failed ${errCount > 0 ? "failing" : "none"}`}
        title={titled("Failed requests, and their share; a click leads to the kinds of failures")}
      >
        <dt>failed</dt>
        <dd>
          {errCount === 0 ? (
            "0"
          ) : (
            <button type="button" onClick={showFailures}>
              {count(errCount)}
              <small>{` ${failed.digits} ${failed.unit}`}</small>
            </button>
          )}
        </dd>
      </div>
      <Tile
        name="throughput"
        title={titled("Requests per second")}
        digits={rate(figures.reqPerSec)}
        unit="/s"
      />
      <Tile
        name="average"
        title={titled("Average response time")}
        {...duration(figures.avgLoadTime)}
      />
      <Tile name="p50" title={most(50)} {...duration(figures.p50)} />
      <Tile name="p95" title={most(95)} {...duration(figures.p95)} />
      <Tile name="p99" title={most(99)} {...duration(figures.p99)} />
      <Tile
        name="max"
        title={titled("The longest response time")}
        {...duration(figures.maxLoadTime)}
      />
      <Tile
        name="received"
        title={
          figures.receivedBytes === null
            ? "Not recorded"
            : titled(`${count(figures.receivedBytes)} bytes`)
        }
        {...bytes(figures.receivedBytes)}
      />
    </dl>
  );
}

/** Scrolls to the table of failures, and lets the keyboard go on there. */
function showFailures(): void {
  const table = document.querySelector<HTMLElement>('[role="region"][aria-labelledby="failures"]');
  document.querySelector("#failures")?.scrollIntoView();
  table?.focus({ preventScroll: true });
}

const NAMES = [
  "requests",
  "failed",
  "throughput",
  "average",
  "p50",
  "p95",
  "p99",
  "max",
  "received",
];

/** The tiles of no request at all: nothing was measured. */
function NoFigures() {
  return (
    <dl class="tiles figures">
      {NAMES.map((name) => (
        <Tile key={name} name={name} title="No request" {...plain("–")} />
      ))}
    </dl>
  );
}

function Tile({
  name,
  title,
  digits,
  unit,
}: Quantity & { readonly name: string; readonly title: string }) {
  return (
    <div class={name} title={title}>
      <dt>{name}</dt>
      <dd>
        {digits}
        {unit === "" ? null : <small>{` ${unit}`}</small>}
      </dd>
    </div>
  );
}

function plain(digits: string): Quantity {
  return { digits, unit: "" };
}
