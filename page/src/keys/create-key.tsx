import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { createKey, type KeyRequest, type MadeKey, type Scope } from "../api/keys.ts";
import { ExpiryField, expiryIn } from "../parts/expiry-field.tsx";
import { focusFirst } from "../parts/move-focus.ts";
import { nameIn, useSubmit } from "../parts/use-submit.ts";

const SCOPES: readonly Scope[] = ["read", "write", "admin"];

const NAME_LENGTH_MAX = 100;

/** A button, replaced by the form it opens. */
export function CreateKey({ onMade }: { readonly onMade: (made: MadeKey) => void }) {
  const [isOpen, setOpen] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  const takesFocus = useRef(false);
  useLayoutEffect(() => {
    if (takesFocus.current) focusFirst(holder.current);
    takesFocus.current = false;
  }, [isOpen]);
  const turn = (isOpenNow: boolean): void => {
    takesFocus.current = true;
    setOpen(isOpenNow);
  };
  return (
    <div class="create-key" ref={holder}>
      {isOpen ? (
        <CreateForm
          onMade={(made) => {
            // The new key takes the focus.
            setOpen(false);
            onMade(made);
          }}
          onCancel={() => turn(false)}
        />
      ) : (
        <button type="button" onClick={() => turn(true)}>
          Create key…
        </button>
      )}
    </div>
  );
}

interface CreateFormProps {
  readonly onMade: (made: MadeKey) => void;
  readonly onCancel: () => void;
}

function CreateForm({ onMade, onCancel }: CreateFormProps) {
  const { complaint, onSubmit } = useSubmit(async (fields) =>
    onMade(await createKey(requestIn(fields))),
  );
  return (
    <form
      onSubmit={onSubmit}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onCancel();
      }}
    >
      <input
        name="name"
        aria-label="Name of the key"
        placeholder="Name, such as its user"
        maxLength={NAME_LENGTH_MAX}
        autocomplete="off"
        spellcheck={false}
        required
      />
      <fieldset>
        <legend class="hidden-text">Scopes</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input type="checkbox" name="scope" value={scope} defaultChecked={scope === "read"} />
            {scope}
          </label>
        ))}
      </fieldset>
      <ExpiryField />
      <button type="submit" class="filled">
        Create key
      </button>
      <button type="button" class="quiet" onClick={onCancel}>
        Cancel
      </button>
      <p class="complaint" role="alert">
        {complaint === "" ? "" : `! ${complaint}`}
      </p>
    </form>
  );
}

function requestIn(fields: FormData): KeyRequest {
  return {
    name: nameIn(fields),
    scopes: SCOPES.filter((scope) => fields.getAll("scope").includes(scope)),
    expiresDays: expiryIn(fields),
  };
}
