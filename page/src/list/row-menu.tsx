import { useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import {
  type LoadTest,
  type LoadTestChanges,
  changeLoadTest,
  deleteLoadTest,
} from "../api/load-tests.ts";
import { Popup } from "../parts/popup.tsx";

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
  const [complaint, setComplaint] = useState("");
  const [isAsking, setAsking] = useState(false);
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setAsking(true);
    try {
      await action();
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setComplaint(error.message);
    } finally {
      setAsking(false);
    }
  };
  const type = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => changeLoadTest(id, changesOf(loadTest, typed)));
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
        <button type="submit" class="filled" disabled={isAsking}>
          Save
        </button>
        {isDeleting ? (
          <button
            type="button"
            disabled={isAsking}
            onClick={() => void attempt(() => deleteLoadTest(id))}
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
  const wanted = typed.tags.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()]));
  return {
    ...(typed.name === name ? {} : { name: typed.name }),
    ...(typed.pinned === pinned ? {} : { pinned: typed.pinned }),
    addTags: wanted.filter((tag) => !tags.includes(tag)),
    removeTags: tags.filter((tag) => !wanted.includes(tag)),
  };
}
