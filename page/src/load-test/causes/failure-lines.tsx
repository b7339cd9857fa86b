import { changeParameters } from "../../address/use-address.ts";
import type { FailureKind, Failures } from "../../api/figures.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { spanText } from "../../format/axis-texts.ts";
import type { Range } from "../scope/range.ts";
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
  readonly range: Range;
}

const LINES = 3;

/** A kind that occurs over a larger share of the range is background. */
const SHARE_MAX = 0.5;

/** The most frequent kinds of failures, background ones together on the last line; a click on one marks its seconds in the charts. */
export function FailureLines(props: FailureLinesProps) {
  const { failures, hasFailed, marked, formatTime, range } = props;
  if (!hasFailed) return null;
  if (failures === undefined) return <div class="findings failure-lines" aria-hidden="true" />;
  const kinds = failures.kinds.slice(0, LINES);
  if (kinds.length === 0) return null;
  const isBackground = ({ from, until }: FailureKind): boolean =>
    from !== undefined &&
    until !== undefined &&
    until - from > SHARE_MAX * (range.until - range.from);
  const [distinct, background] = [
    kinds.filter((each) => !isBackground(each)),
    kinds.filter(isBackground),
  ];
  return (
    <ul class="findings failure-lines" aria-label="Most frequent failures">
      {[...distinct, ...background].map((kind) => {
        const name = kindName(kind);
        return (
          <li
            key={name}
            class={background.length > 1 && background.includes(kind) ? "background" : ""}
          >
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
            : spanText(formatTime(from), formatTime(until))}
      </span>
      <span>
        <b>{`${count(kind.count)} × ${name}`}</b>
        <span class="rest">{` on ${endpointsText(kind, isShort ? 0 : 2)}`}</span>
      </span>
    </button>
  );
}
