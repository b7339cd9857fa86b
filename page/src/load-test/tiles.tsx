import type { OverallFigures } from "../api/figures.ts";
import { bytes, count, duration, type Quantity, rate, share } from "../format/numbers.ts";
import { wholeText } from "../format/whole.ts";

/** The figures of what is shown, as one: every one a merge, none an average of averages. */
export function Tiles({ figures }: { readonly figures: OverallFigures | undefined }) {
  if (figures === undefined) return <dl class="tiles figures" aria-hidden="true" />;
  if (figures.count === 0) return <NoFigures />;
  const { count: requests, errCount, errRate } = figures;
  const failed = share(errRate);
  const whole = wholeText(figures);
  const titled = (title: string) => (whole === "" ? title : `${title}; ${whole}`);
  const most = (percent: number) =>
    titled(`${percent} % of ${count(requests)} requests took at most this long`);
  return (
    <dl class="tiles figures">
      <Tile
        name="requests"
        title={titled("Requests, failed ones included")}
        {...plain(count(requests))}
      />
      <div
        class={`failed ${errCount > 0 ? "failing" : "none"}`}
        title={titled("Failed requests, and their share")}
      >
        <dt>failed</dt>
        <dd>
          {count(errCount)}
          {errCount > 0 ? <small>{` ${failed.digits} ${failed.unit}`}</small> : null}
        </dd>
      </div>
      <Tile
        name="throughput"
        title={titled("Requests by seconds")}
        digits={rate(figures.reqPerSec)}
        unit="/s"
      />
      <Tile name="average" title={titled("Average response time")} {...time(figures.avgLoadTime)} />
      <Tile name="p50" title={most(50)} {...time(figures.p50)} />
      <Tile name="p95" title={most(95)} {...time(figures.p95)} />
      <Tile name="p99" title={most(99)} {...time(figures.p99)} />
      <Tile name="max" title={titled("The longest response time")} {...time(figures.maxLoadTime)} />
      <Tile
        name="received"
        title={titled(`${count(figures.receivedBytes)} bytes`)}
        {...bytes(figures.receivedBytes)}
      />
    </dl>
  );
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

function time(seconds: number | undefined): Quantity {
  return seconds === undefined ? plain("–") : duration(seconds);
}
