import { useState } from "preact/hooks";
import type { EndpointFailures } from "../api/figures.ts";
import { count, share } from "../format/numbers.ts";
import { type KindOfFailure, kindsOf } from "./failure-kinds.ts";

interface FailuresTableProps {
  readonly failures: readonly EndpointFailures[];
  readonly formatTime: (second: number) => string;
}

const FIRST_SHOWN = 10;

/** Why requests failed, over all endpoints of the scope, the most frequent first. */
export function FailuresTable({ failures, formatTime }: FailuresTableProps) {
  const [isAll, setAll] = useState(false);
  const kinds = kindsOf(failures);
  const failed = failures.reduce((sum, { errCount }) => sum + errCount, 0);
  if (failed === 0) return null;
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">
        Failures <span class="number">{count(failed)}</span>
      </h2>
      {/* Reached by keyboard, so that it can be scrolled by keyboard where it is cut. */}
      <div class="wide" tabIndex={0} role="region" aria-labelledby="failures">
        <table class="rows failures">
          <thead>
            <tr>
              <th>code</th>
              <th>message</th>
              <th class="numeric">failed</th>
              <th class="numeric">share</th>
              <th>endpoints</th>
              <th>first</th>
              <th>last</th>
            </tr>
          </thead>
          <tbody>
            {kinds.slice(0, isAll ? undefined : FIRST_SHOWN).map((kind) => (
              <Row
                key={`${kind.code} ${kind.message}`}
                kind={kind}
                all={failed}
                formatTime={formatTime}
              />
            ))}
          </tbody>
        </table>
      </div>
      {kinds.length > FIRST_SHOWN && !isAll ? (
        <button type="button" class="word" onClick={() => setAll(true)}>
          {`${kinds.length - FIRST_SHOWN} more kinds`}
        </button>
      ) : null}
    </section>
  );
}

interface RowProps {
  readonly kind: KindOfFailure;
  readonly all: number;
  readonly formatTime: (second: number) => string;
}

function Row({ kind, all, formatTime }: RowProps) {
  const { code, message, failed, from, until, labels } = kind;
  const part = share(failed / all);
  return (
    <tr>
      <td>{code === "" ? "–" : code}</td>
      <td class="name" title={message}>
        {message === "" ? "–" : message}
      </td>
      <td class="numeric">{count(failed)}</td>
      <td class="numeric">
        {part.digits}
        <span class="unit">{part.unit}</span>
      </td>
      <td class="label" title={labels.join("\n")}>
        {labels.length === 1 ? labels[0] : `${labels[0]} and ${labels.length - 1} more`}
      </td>
      <td>{from === undefined ? "–" : formatTime(from)}</td>
      <td>{until === undefined ? "–" : formatTime(until)}</td>
    </tr>
  );
}
