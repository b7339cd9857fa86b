import { changeParameters } from "../../address/use-address.ts";
import type { FailureKind, Failures } from "../../api/figures.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { count } from "../../format/numbers.ts";
import { shortTime } from "./finding-texts.ts";
import { endpointsText, kindName } from "./failure-kinds.ts";

interface FailureLinesProps {
  /** `undefined` until the answer arrives: space is reserved if something has failed. */
  readonly failures: Failures | undefined;
  readonly hasFailed: boolean;
  /** The kind whose seconds are marked in the charts. */
  readonly marked: string | undefined;
  readonly formatTime: (second: number) => string;
}

const LINES = 3;

/** The most frequent kinds of failures; a click marks the seconds of one in the charts. */
export function FailureLines({ failures, hasFailed, marked, formatTime }: FailureLinesProps) {
  if (!hasFailed) return null;
  if (failures === undefined) return <div class="findings failure-lines" aria-hidden="true" />;
  const kinds = failures.kinds.slice(0, LINES);
  if (kinds.length === 0) return null;
  return (
    <ul class="findings failure-lines" aria-label="Most frequent failures">
      {kinds.map((kind) => {
        const name = kindName(kind);
        return (
          <li key={name}>
            <FailureLine kind={kind} isMarked={name === marked} formatTime={formatTime} />
          </li>
        );
      })}
    </ul>
  );
}

interface FailureLineProps {
  readonly kind: FailureKind;
  readonly isMarked: boolean;
  readonly formatTime: (second: number) => string;
}

function FailureLine({ kind, isMarked, formatTime }: FailureLineProps) {
  const isShort = useIsNarrow();
  const { from, until } = kind;
  const name = kindName(kind);
  return (
    <button
      type="button"
      class="finding"
      aria-pressed={isMarked}
      title={isMarked ? "Clear the marks in the charts" : "Mark these seconds in the charts"}
      onClick={() => changeParameters({ failure: isMarked ? undefined : name })}
    >
      <span class="when">
        {from === undefined || until === undefined
          ? ""
          : isShort
            ? shortTime(formatTime(from))
            : `${formatTime(from)} to ${formatTime(until)}`}
      </span>
      <span>
        <b>{`${count(kind.count)} × ${name}`}</b>
        <span class="rest">{` on ${endpointsText(kind, isShort ? 0 : 2)}`}</span>
      </span>
    </button>
  );
}
