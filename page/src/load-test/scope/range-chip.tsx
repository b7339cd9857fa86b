import { useContext, useRef, useState } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { HoldingContext } from "./holding.ts";
import { Popup } from "../../parts/popup.tsx";
import { Off } from "../../parts/off-button.tsx";
import { type Range, WHOLE_TEST } from "./range.ts";
import { parseField, type TypedTimes, typedTime } from "./range-times.ts";

export interface RangeChipProps {
  readonly name: string;
  /** Details that the name leaves out. */
  readonly text: string;
  /** Whether it is less than the whole test. */
  readonly isSet: boolean;
  /** Whether the load test is running. */
  readonly isGrowing: boolean;
  readonly range: Range;
  readonly times: TypedTimes;
}

/** The shown range; a click offers others. */
export function RangeChip({ name, text, isSet, ...choice }: RangeChipProps) {
  const button = (
    <>
      <b>{name}</b> <span class="times">{text}</span>
    </>
  );
  return (
    <span class={isSet ? "chip set" : "chip"}>
      <Popup label={`Range: ${name}, ${text}`} button={button} buttonClass="chip-button">
        {(close) => <RangeChoice {...choice} onChosen={close} />}
      </Popup>
      {isSet ? <Off label="Show the full run" onClick={showWhole} /> : null}
    </span>
  );
}

function showWhole(): void {
  changeParameters(WHOLE_TEST);
}

const LAST_MINUTES = [5, 15];

interface RangeChoiceProps extends Pick<RangeChipProps, "isGrowing" | "range" | "times"> {
  readonly onChosen: () => void;
}

function RangeChoice({ isGrowing, range, times, onChosen }: RangeChoiceProps) {
  const { wholeName } = useContext(HoldingContext);
  const choose = (changes: Parameters<typeof changeParameters>[0]): void => {
    changeParameters({ ...WHOLE_TEST, ...changes });
    onChosen();
  };
  return (
    <div class="range-choice">
      <button type="button" class="quiet" onClick={() => choose({})}>
        {wholeName}
      </button>
      {LAST_MINUTES.map((minutes) => (
        <button
          key={minutes}
          type="button"
          class="quiet"
          onClick={() => choose(lastSeconds(minutes * 60, isGrowing, times.whole))}
        >
          {`Last ${minutes} min`}
        </button>
      ))}
      <RangeForm
        range={range}
        times={times}
        onRange={({ from, until }) => choose({ from: String(from), until: String(until) })}
      />
    </div>
  );
}

/** A running load test follows its end; otherwise this is an ordinary range. */
function lastSeconds(seconds: number, isGrowing: boolean, { from, until }: Range) {
  if (isGrowing) return { last: String(seconds) };
  return { from: String(Math.max(from, until - seconds)), until: String(until) };
}

interface RangeFormProps {
  readonly range: Range;
  readonly times: TypedTimes;
  readonly onRange: (range: Range) => void;
}

/** The first and last second, typed. */
function RangeForm({ range, times, onRange }: RangeFormProps) {
  const [complaint, setComplaint] = useState("");
  const fields = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)] as const;
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const shown = [range.from, range.until - 1] as const;
    const [from, last] = shown.map((second, at) =>
      parseField(fields[at]?.current?.value ?? "", second, times),
    );
    const problem = complaintAbout(from, last, times);
    setComplaint(problem ?? "");
    if (from === undefined || last === undefined || problem !== undefined) return;
    const { whole } = times;
    onRange({ from: Math.max(from, whole.from), until: Math.min(last + 1, whole.until) });
  }
  return (
    <form onSubmit={submit}>
      <label>
        from
        <input ref={fields[0]} defaultValue={typedTime(range.from, times)} autocomplete="off" />
      </label>
      <label>
        until
        <input
          ref={fields[1]}
          defaultValue={typedTime(range.until - 1, times)}
          autocomplete="off"
        />
      </label>
      <button type="submit">Show</button>
      <p class="complaint" role="alert">
        {complaint}
      </p>
    </form>
  );
}

function complaintAbout(
  from: number | undefined,
  last: number | undefined,
  times: TypedTimes,
): string | undefined {
  const { clock, whole } = times;
  if (from === undefined || last === undefined) {
    return clock === "start"
      ? "Enter minutes and seconds as +18:00"
      : "Enter times as 14:02:11, or with the date as 2026-11-21 14:02:11";
  }
  if (last < from) return "The range ends before it starts";
  if (last >= whole.from && from < whole.until) return undefined;
  const [begin, end] = [whole.from, whole.until - 1].map((second) => typedTime(second, times));
  return `The run lasted from ${begin} to ${end}`;
}
