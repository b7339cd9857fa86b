import { useState } from "preact/hooks";
import {
  askListCsv,
  changeLoadTest,
  listAll,
  type ListRequest,
  type LoadTest,
} from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { count, runsText } from "../format/numbers.ts";
import { Popup } from "../parts/popup.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useAttempt } from "../parts/use-submit.ts";
import { type BulkChange, changesOfEach, type RunChange } from "./bulk-changes.ts";
import { deleteLater } from "./deletion.ts";

interface BulkButtonProps {
  /** Selects the runs. */
  readonly request: ListRequest;
  readonly mayWrite: boolean;
  /** Called after runs were changed. */
  readonly onChanged: () => void;
  /** Called once a deletion is scheduled. */
  readonly onDeleted: () => void;
}

/** Tags, pins, deletes or exports several runs, after a preview of what changes. */
export function BulkButton({ request, mayWrite, onChanged, onDeleted }: BulkButtonProps) {
  const save = async (): Promise<void> => saveFile(await askListCsv(request), "runs.csv");
  return (
    <>
      {mayWrite ? (
        <Popup button="Change…" label="Change the selected runs" side="right">
          {(close) => (
            <BulkForm
              request={request}
              onChanged={onChanged}
              onDeleted={() => {
                close();
                onDeleted();
              }}
            />
          )}
        </Popup>
      ) : null}
      <SaveButton name="CSV" title="One row per selected run, with its figures" save={save} />
    </>
  );
}

const NO_CHANGE: BulkChange = { addTags: "", removeTags: "", pinned: undefined };

function BulkForm({ request, onChanged, onDeleted }: Omit<BulkButtonProps, "mayWrite">) {
  const [version, setVersion] = useState(0);
  const { value, error } = useAnswer(
    "selected",
    JSON.stringify(request),
    (signal) => listAll(request, signal),
    { version },
  );
  if (value === undefined) return <p class="hint">{error?.message ?? "Finding the runs…"}</p>;
  if (value.unknown !== undefined) {
    const text = `The percentiles of ${runsText(value.unknown)} are not computed yet: try again later`;
    return <p class="hint">{text}</p>;
  }
  const onSomeChanged = (): void => {
    onChanged();
    setVersion(version + 1);
  };
  return <RunsForm runs={value.loadTests} onChanged={onSomeChanged} onDeleted={onDeleted} />;
}

interface RunsFormProps extends Pick<BulkButtonProps, "onChanged" | "onDeleted"> {
  readonly runs: readonly LoadTest[];
}

function RunsForm({ runs, onChanged, onDeleted }: RunsFormProps) {
  const [wanted, setWanted] = useState(NO_CHANGE);
  const [isDeleting, setDeleting] = useState(false);
  const [doneCount, setDoneCount] = useState(0);
  const { complaint, isRunning, attempt } = useAttempt();
  const plan = isDeleting ? deletionsOf(runs) : changesOfEach(runs, wanted);
  async function apply(): Promise<void> {
    setDoneCount(0);
    const isDone = await attempt(async () => {
      for (const [at, { run, changes }] of plan.entries()) {
        await changeLoadTest(run.id, changes);
        setDoneCount(at + 1);
      }
    });
    onChanged();
    if (isDone === true) setWanted(NO_CHANGE);
  }
  return (
    <form
      class="row-form bulk"
      onSubmit={(event) => {
        event.preventDefault();
        if (isDeleting) {
          deleteLater(plan.map(({ run }) => run.id));
          onDeleted();
        } else {
          void apply();
        }
      }}
    >
      <b>{runsText(runs.length)}</b>
      {isDeleting ? null : <Fields wanted={wanted} onType={setWanted} />}
      <Plan plan={plan} pinned={isDeleting ? runs.length - plan.length : 0} />
      <p class="complaint" role="status">
        {complaint !== "" ? `! Stopped after ${runsText(doneCount)}: ${complaint}` : null}
        {isRunning ? `${count(doneCount)} of ${runsText(plan.length)} changed` : null}
      </p>
      <div class="line">
        <button type="submit" class="filled" disabled={isRunning || plan.length === 0}>
          {`${isDeleting ? "Delete" : "Change"} ${runsText(plan.length)}`}
        </button>
        <button type="button" class="quiet" onClick={() => setDeleting(!isDeleting)}>
          {isDeleting ? "Back" : "Delete…"}
        </button>
      </div>
    </form>
  );
}

/** Pinned runs are not deleted. */
function deletionsOf(runs: readonly LoadTest[]): readonly RunChange[] {
  const own = runs.filter(({ pinned }) => !pinned);
  return own.map((run) => ({ run, changes: {}, words: "delete" }));
}

interface FieldsProps {
  readonly wanted: BulkChange;
  readonly onType: (wanted: BulkChange) => void;
}

function Fields({ wanted, onType }: FieldsProps) {
  const field = (name: "addTags" | "removeTags", text: string) => (
    <label>
      <span>{text}</span>
      <input
        value={wanted[name]}
        onInput={({ currentTarget }) => onType({ ...wanted, [name]: currentTarget.value })}
      />
    </label>
  );
  const choice = (pinned: boolean | undefined, text: string) => (
    <label class="pinned">
      <input
        type="radio"
        name="pinned"
        checked={wanted.pinned === pinned}
        onChange={() => onType({ ...wanted, pinned })}
      />
      {text}
    </label>
  );
  return (
    <>
      {field("addTags", "Add tags, separated by commas")}
      {field("removeTags", "Remove tags")}
      <div class="line">
        {choice(undefined, "Keep pins")}
        {choice(true, "Pin")}
        {choice(false, "Unpin")}
      </div>
    </>
  );
}

const SHOWN = 100;

interface PlanProps {
  readonly plan: readonly RunChange[];
  /** How many runs are kept because they are pinned. */
  readonly pinned: number;
}

/** The change to each run. */
function Plan({ plan, pinned }: PlanProps) {
  return (
    <>
      <ul class="plan" tabIndex={0} aria-label="Preview">
        {plan.slice(0, SHOWN).map(({ run: { id, name }, words }) => (
          <li key={id} title={id}>
            <span class="rest">{words}</span> {name} <span class="id">{id}</span>
          </li>
        ))}
        {plan.length > SHOWN ? <li>{`and ${count(plan.length - SHOWN)} more`}</li> : null}
      </ul>
      {pinned === 0 ? null : <p class="hint">{`Kept because pinned: ${runsText(pinned)}`}</p>}
    </>
  );
}
