import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Threshold, askThresholds, keepThresholds } from "../../api/thresholds.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useAttempt } from "../../parts/use-submit.ts";

interface ThresholdsFormProps {
  readonly name: string;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

/** Edits the thresholds of a name, one expression a row. */
export function ThresholdsForm({ name, onSaved, onCancel }: ThresholdsFormProps) {
  const { value, isAsking } = useAnswer("thresholds", name, (signal) =>
    askThresholds(name, signal),
  );
  const [rows, setRows] = useState<readonly Row[]>();
  const { complaint, isRunning, attempt } = useAttempt();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Not an older answer: saving it would undo what others changed meanwhile.
    if (rows !== undefined || value === undefined || isAsking) return;
    setRows(value.length === 0 ? [EMPTY] : rowsOf(value));
  }, [value, isAsking]);
  const count = rows?.length ?? 0;
  useLayoutEffect(() => {
    form.current?.querySelectorAll<HTMLElement>("[name=failIf]")[count - 1]?.focus();
  }, [count]);
  if (rows === undefined) return null;
  const change = (index: number, part: Partial<Row>): void => {
    setRows(rows.map((row, each) => (each === index ? { ...row, ...part } : row)));
  };
  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isRunning || rows === undefined) return;
    const filled = rows.filter(({ failIf }) => failIf.trim() !== "");
    setRows(filled);
    await attempt(
      async () => {
        await keepThresholds(name, thresholdsOf(filled));
        onSaved();
      },
      ({ message }) => complaintOf(message),
    );
  }
  return (
    <form ref={form} onSubmit={save}>
      {rows.map((row, index) => (
        <fieldset key={index}>
          <legend class="hidden-text">Threshold {index + 1}</legend>
          <Fields row={row} onChange={(part) => change(index, part)} />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove threshold ${index + 1}`}
            onClick={() => setRows(rows.filter((_, each) => each !== index))}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <p class="complaint" role="alert">
        {complaint === "" ? "" : `! ${complaint}`}
      </p>
      <div class="line">
        <button type="submit" class="filled">
          Save
        </button>
        <button type="button" onClick={() => setRows([...rows, EMPTY])}>
          Add threshold
        </button>
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly row: Row;
  readonly onChange: (part: Partial<Row>) => void;
}

function Fields({ row, onChange }: FieldsProps) {
  const input = (name: Exclude<keyof typeof EMPTY, "severity">) => ({
    name,
    value: row[name],
    autocomplete: "off" as const,
    spellcheck: false,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ [name]: currentTarget.value }),
  });
  return (
    <>
      <label class="long">
        <span>Fail if</span>
        <input {...input("failIf")} placeholder="each: p95 > 500ms" />
      </label>
      <label>
        <span>Severity</span>
        <select
          value={row.severity}
          onChange={({ currentTarget }) =>
            onChange({ severity: currentTarget.value === "warn" ? "warn" : "fail" })
          }
        >
          <option value="fail">fail</option>
          <option value="warn">warn</option>
        </select>
      </label>
      <label>
        <span>Owner</span>
        <input {...input("owner")} />
      </label>
      <label>
        <span>Accepted until</span>
        <input {...input("acceptedUntil")} type="date" />
      </label>
      <label class="long">
        <span>Reason</span>
        <input {...input("reason")} />
      </label>
    </>
  );
}

/** One expression as the form edits it; empty texts are not given, what is not shown stays as it is. */
interface Row extends Omit<Threshold, "failIf"> {
  readonly failIf: string;
  readonly severity: "fail" | "warn";
  readonly owner: string;
  /** A day such as `2026-12-31`. */
  readonly acceptedUntil: string;
  readonly reason: string;
}

export const EMPTY = {
  failIf: "",
  severity: "fail",
  owner: "",
  acceptedUntil: "",
  reason: "",
} as const satisfies Row;

export function rowsOf(thresholds: readonly Threshold[]): readonly Row[] {
  return thresholds.flatMap(({ failIf, ...policy }) =>
    failIf.map((expression) => ({ ...EMPTY, ...policy, failIf: expression })),
  );
}

/** One threshold per row, with what was given. */
export function thresholdsOf(rows: readonly Row[]): readonly Threshold[] {
  return rows.map(({ failIf, severity, owner, acceptedUntil, reason, ...others }) => ({
    ...others,
    failIf: [failIf.trim()],
    ...(severity === "fail" ? {} : { severity }),
    ...(owner.trim() === "" ? {} : { owner: owner.trim() }),
    ...(acceptedUntil === "" ? {} : { acceptedUntil }),
    ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
  }));
}

/** The service's complaint, with rows numbered as in the form. */
export function complaintOf(message: string): string {
  return message.replaceAll(
    /\bthresholds\.(\d+)(?:\.\w+)*: /g,
    (_, index: string) => `Threshold ${Number(index) + 1}: `,
  );
}
