import type {
  ComparedRow,
  Comparison,
  Distribution,
  LoadTestComparison,
  Pair,
} from "../api/comparison.ts";
import { change, failureChange, inWords } from "../format/changes.ts";
import { count, duration, type Quantity, rate, share } from "../format/numbers.ts";
import { wholeText } from "../format/whole.ts";
import { failsMore, judged, KINDS } from "./verdicts.ts";

interface CompareTilesProps {
  readonly comparison: LoadTestComparison | undefined;
  readonly distributions: Pair<Distribution> | undefined;
}

export function CompareTiles({ comparison, distributions }: CompareTilesProps) {
  if (comparison === undefined || distributions === undefined) {
    return <dl class="tiles compared" aria-hidden="true" />;
  }
  const { overall } = comparison;
  const { base, value } = overall.count;
  const whole = wholeText(comparison);
  return (
    <dl class="tiles compared" title={whole === "" ? undefined : `All figures are ${whole}`}>
      <Tile name="requests" digits={count(value)} unit="" base={count(base)}>
        {base === 0 ? null : <PlainChange value={value / base - 1} />}
      </Tile>
      <Failed overall={overall} distributions={distributions} />
      <Throughput distributions={distributions} />
      <Time name="average" {...overall.avgLoadTime} />
      <Time name="p50" {...overall.p50} />
      <Time name="p95" {...overall.p95} />
      <Time name="p99" {...overall.p99} />
    </dl>
  );
}

interface TileProps extends Quantity {
  readonly name: string;
  readonly base: string;
  readonly kind?: "failing" | "none";
  readonly children?: preact.ComponentChildren;
}

function Tile({ name, digits, unit, base, kind, children }: TileProps) {
  return (
    <div class={kind}>
      <dt>{name}</dt>
      <dd>
        {digits}
        {unit === "" ? null : <small>{` ${unit}`}</small>}
      </dd>
      <dd class="base">
        base {base} {children}
      </dd>
    </div>
  );
}

interface FailedProps {
  readonly overall: ComparedRow;
  readonly distributions: Pair<Distribution>;
}

function Failed({ overall, distributions }: FailedProps) {
  const { base = 0, value = 0 } = overall.errRate;
  const [from, to] = [distributions.base, distributions.later].map((each) =>
    count(each.overall.errCount),
  );
  return (
    <Tile
      name="failed"
      digits={to ?? ""}
      unit={value === 0 ? "" : inWords(share(value))}
      base={`${from}${base === 0 ? "" : ` (${inWords(share(base))})`}`}
      kind={value === 0 ? "none" : "failing"}
    >
      <FailureChange row={overall} />
    </Tile>
  );
}

/** The difference of the shares of failed requests, marked if more fail beyond noise. */
export function FailureChange({ row }: { readonly row: ComparedRow }) {
  const { base, value } = row.errRate;
  if (base === undefined || value === undefined) return null;
  const difference = failureChange(base, value);
  if (difference === undefined) return null;
  const isMore = failsMore(row);
  return (
    <span class={isMore ? "failing" : ""}>
      {isMore ? "! " : ""}
      {inWords(difference)}
    </span>
  );
}

function Throughput({ distributions }: { readonly distributions: Pair<Distribution> }) {
  const base = distributions.base.overall.reqPerSec;
  const later = distributions.later.overall.reqPerSec;
  return (
    <Tile name="throughput" {...perSecond(later)} base={inWords(perSecond(base))}>
      {base === null || base === 0 || later === null ? null : (
        <PlainChange value={later / base - 1} />
      )}
    </Tile>
  );
}

/** None if no time is known. */
function perSecond(requests: number | null): Quantity {
  return requests === null ? { digits: "–", unit: "" } : { digits: rate(requests), unit: "/s" };
}

function PlainChange({ value }: { readonly value: number }) {
  return <span>{inWords(change(value))}</span>;
}

function Time({ name, ...comparison }: Comparison & { readonly name: string }) {
  const { base, value } = comparison;
  const { digits, unit } = value === undefined ? { digits: "–", unit: "" } : duration(value);
  return (
    <Tile
      name={name}
      digits={digits}
      unit={unit}
      base={base === undefined ? "–" : inWords(duration(base))}
    >
      <TimeChange {...comparison} />
    </Tile>
  );
}

/** A time difference, marked if it is beyond noise. */
export function TimeChange(comparison: Comparison) {
  if (comparison.change === undefined) return null;
  const kind = judged(comparison);
  const isSure = kind !== "unchanged";
  return (
    <span class={isSure ? kind : ""} title={isSure ? KINDS[kind].words : "within noise"}>
      {isSure ? `${KINDS[kind].sign} ` : ""}
      {inWords(change(comparison.change))}
    </span>
  );
}
