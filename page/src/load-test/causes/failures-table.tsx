import { useState } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import type { FailureKind, Failures } from "../../api/figures.ts";
import { sparkPath } from "../../charts/spark-path.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { count, share } from "../../format/numbers.ts";
import { Label } from "../../parts/label.tsx";
import { Quantity } from "../../parts/quantity.tsx";
import { kindName, overTime } from "./failure-kinds.ts";
import type { LoadTestPart } from "../part.ts";
import { KindSamples } from "../samples/asked-samples.tsx";

interface FailuresTableProps extends Pick<
  LoadTestPart,
  "scope" | "range" | "version" | "formatTime"
> {
  /** `undefined` until the answer arrives. */
  readonly failures: Failures | undefined;
  /** The kind whose endpoints and requests are shown and whose seconds are marked in the charts. */
  readonly opened: string | undefined;
}

const FIRST_SHOWN = 10;
/** Those that are shown. */
const COLUMNS = { wide: 7, narrow: 3 };
const SPARK = { width: 142, height: 20, parts: 60 };

/** Kinds of failures in the scope, most frequent first; nothing if none failed. */
export function FailuresTable({ failures, opened, ...part }: FailuresTableProps) {
  const [isAll, setAll] = useState(false);
  if (failures === undefined || failures.errCount === 0) return null;
  const { kinds, errCount, withoutKind } = failures;
  const isFar = kinds.findIndex((kind) => kindName(kind) === opened) >= FIRST_SHOWN;
  const shown = isAll || isFar ? kinds : kinds.slice(0, FIRST_SHOWN);
  const requests = `${count(errCount)} request${errCount === 1 ? "" : "s"}`;
  const kindCount = `${count(kinds.length)} kind${kinds.length === 1 ? "" : "s"}`;
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">
        Failures{" "}
        <span class="number">{kinds.length === 0 ? requests : `${kindCount}, ${requests}`}</span>
      </h2>
      {/* Focusable, so that the keyboard can scroll it where it is cut off. */}
      <div class="wide" tabIndex={0} role="region" aria-labelledby="failures">
        <table class="failures">
          <thead>
            <tr>
              <th class="kind">code and message</th>
              <th class="numeric">count</th>
              <th class="numeric">share</th>
              <th class="numeric of-endpoints">endpoints</th>
              <th class="when">first</th>
              <th class="when">last</th>
              <th class="over-time">over time</th>
            </tr>
          </thead>
          {shown.map((kind) => (
            <Kind
              key={kindName(kind)}
              kind={kind}
              all={errCount}
              isOpen={kindName(kind) === opened}
              {...part}
            />
          ))}
          {withoutKind === 0 ? null : <WithoutKind failed={withoutKind} all={errCount} />}
        </table>
      </div>
      {shown.length === kinds.length ? null : (
        <button type="button" class="word" onClick={() => setAll(true)}>
          {`${kinds.length - FIRST_SHOWN} more kinds`}
        </button>
      )}
    </section>
  );
}

interface KindProps extends Omit<FailuresTableProps, "failures" | "opened"> {
  readonly kind: FailureKind;
  /** Failed requests of all kinds. */
  readonly all: number;
  readonly isOpen: boolean;
}

function Kind({ kind, all, isOpen, ...part }: KindProps) {
  const { range, formatTime } = part;
  const isNarrow = useIsNarrow();
  const { count: failed, from, until, endpointCount, series } = kind;
  const name = kindName(kind);
  const toggle = () => changeParameters({ failure: isOpen ? undefined : name });
  const line = sparkPath(overTime(series, range, SPARK.parts), SPARK.width, SPARK.height);
  return (
    <tbody>
      <tr class={isOpen ? "selected" : ""} onClick={toggle}>
        <th scope="row" class="kind" title={`${kind.code} ${kind.message}`.trim()}>
          <button
            type="button"
            class="word"
            aria-expanded={isOpen}
            onClick={(event) => {
              event.stopPropagation();
              toggle();
            }}
          >
            {name}
          </button>
        </th>
        <td class="numeric">{count(failed)}</td>
        <td class="numeric">
          <Quantity {...share(failed / all)} />
        </td>
        <td class="numeric of-endpoints">{count(endpointCount)}</td>
        <td class="when">{from === undefined ? "–" : formatTime(from)}</td>
        <td class="when">{until === undefined ? "–" : formatTime(until)}</td>
        <td class="over-time">
          <svg class="spark" width={SPARK.width} height={SPARK.height} aria-hidden="true">
            <path class="spark-failures" d={line} />
          </svg>
        </td>
      </tr>
      {isOpen ? (
        <>
          <Endpoints kind={kind} />
          <tr class="of-kind">
            <td class="of-samples" colSpan={isNarrow ? COLUMNS.narrow : COLUMNS.wide}>
              <KindSamples kind={kind} {...part} />
            </td>
          </tr>
        </>
      ) : null}
    </tbody>
  );
}

/** The endpoints of a kind, with their share of it. */
function Endpoints({ kind: { count: all, endpoints, endpointCount } }: Pick<KindProps, "kind">) {
  const unnamed = endpointCount - endpoints.length;
  return (
    <>
      {endpoints.map(({ hash, label, count: failed }) => (
        <tr key={hash} class="of-kind">
          <td class="kind" title={label}>
            <Label label={label} />
          </td>
          <td class="numeric">{count(failed)}</td>
          <td class="numeric">
            <Quantity {...share(failed / all)} />
          </td>
        </tr>
      ))}
      {unnamed === 0 ? null : (
        <tr class="of-kind">
          <td class="kind none">{`${count(unnamed)} more`}</td>
        </tr>
      )}
    </>
  );
}

function WithoutKind({ failed, all }: { readonly failed: number; readonly all: number }) {
  return (
    <tbody>
      <tr class="without-kind">
        <th scope="row" class="kind none">
          no reason recorded
        </th>
        <td class="numeric">{count(failed)}</td>
        <td class="numeric">
          <Quantity {...share(failed / all)} />
        </td>
      </tr>
    </tbody>
  );
}
