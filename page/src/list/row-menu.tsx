import { useState } from "preact/hooks";
import {
  type LoadTest,
  type LoadTestChanges,
  changeLoadTest,
  deleteLoadTest,
} from "../api/load-tests.ts";
import { Popup } from "../parts/popup.tsx";
import { tagsIn } from "./bulk-changes.ts";
import { useAttempt } from "../parts/use-submit.ts";

interface RowMenuProps {
  readonly loadTest: LoadTest;
  /** Called when it was changed or deleted. */
  readonly onChanged: () => void;
}

/** Renames, tags, pins or deletes a run; needs a key with write access. */
export function RowMenu({ loadTest, onChanged }: RowMenuProps) {
  const { name, id } = loadTest;
  return (
    <Popup label={`Change ${name} ${id}`} button="⋯" buttonClass="quiet" side="right">
      {(close) => (
        <RowForm
          loadTest={loadTest}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
    </Popup>
  );
}

function RowForm({
  loadTest,
  onDone,
}: {
  readonly loadTest: LoadTest;
  readonly onDone: () => void;
}) {
  const { id, name, tags, pinned } = loadTest;
  const [typed, setTyped] = useState<Typed>({ name, tags: tags.join(", "), pinned });
  const [isDeleting, setDeleting] = useState(false);
  const { complaint, isRunning, attempt } = useAttempt();
  const change = (action: () => Promise<void>): void =>
    void attempt(async () => {
      await action();
      onDone();
    });
  const type = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault();
        change(() => changeLoadTest(id, changesOf(loadTest, typed)));
      }}
    >
      <label>
        <span>Name</span>
        <input
          value={typed.name}
          required
          onInput={({ currentTarget }) => type({ name: currentTarget.value })}
        />
      </label>
      <label>
        <span>Tags, separated by commas</span>
        <input
          value={typed.tags}
          onInput={({ currentTarget }) => type({ tags: currentTarget.value })}
        />
      </label>
      <label class="pinned">
        <input
          type="checkbox"
          checked={typed.pinned}
          onChange={({ currentTarget }) => type({ pinned: currentTarget.checked })}
        />
        Pinned: never deleted by age
      </label>
      <p class="complaint" role="alert">
        {complaint === "" ? "" : `! ${complaint}`}
      </p>
      <div class="line">
        <button type="submit" class="filled" disabled={isRunning}>
          Save
        </button>
        {isDeleting ? (
          <button
            type="button"
            disabled={isRunning}
            onClick={() => change(() => deleteLoadTest(id))}
          >
            {`Delete ${id} for good`}
          </button>
        ) : (
          <button type="button" class="quiet" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )}
      </div>
    </form>
  );
}

interface Typed {
  readonly name: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly pinned: boolean;
}

export function changesOf(
  { name, tags, pinned }: Pick<LoadTest, "name" | "tags" | "pinned">,
  typed: Typed,
): LoadTestChanges {
  const wanted = tagsIn(typed.tags);
  return {
    ...(typed.name === name ? {} : { name: typed.name }),
    ...(typed.pinned === pinned ? {} : { pinned: typed.pinned }),
    addTags: wanted.filter((tag) => !tags.includes(tag)),
    removeTags: tags.filter((tag) => !wanted.includes(tag)),
  };
}
