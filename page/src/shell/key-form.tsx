import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { forgetKey, storeKey } from "../api/key.ts";
import { askCurrentKey } from "../api/keys.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { useTitle } from "./use-title.ts";

const COMMAND = "tachograph keys create --name me --scope read";

const REFUSED = "This key is unknown or was revoked.";

interface KeyFormProps {
  /** Whether the service has refused an earlier key. */
  readonly wasRefused: boolean;
  readonly onKey: () => void;
}

/** Asks for the key, once per tab, and tries it before anything else is shown. */
export function KeyForm({ wasRefused, onKey }: KeyFormProps) {
  const [complaint, setComplaint] = useState(wasRefused ? REFUSED : "");
  const [isTrying, setTrying] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useTitle("Key · Tachograph");
  useLayoutEffect(() => field.current?.focus(), []);
  async function tryKey(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setTrying(true);
    storeKey(field.current?.value.trim() ?? "");
    try {
      await askCurrentKey();
      onKey();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      forgetKey();
      setComplaint(error.status === 401 ? REFUSED : error.message);
      field.current?.focus();
    } finally {
      setTrying(false);
    }
  }
  return (
    <main class="key-form">
      <h1>This page needs a key</h1>
      <form onSubmit={tryKey}>
        <label for="key">Paste a key with the scope read. It stays in this tab.</label>
        <div class="line">
          <input
            ref={field}
            id="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            aria-describedby="complaint"
          />
          <button class="filled" type="submit" disabled={isTrying}>
            Open
          </button>
        </div>
        <p id="complaint" class="complaint" role="alert">
          {complaint === "" ? null : (
            <>
              <b>!</b> {complaint}
            </>
          )}
        </p>
      </form>
      <p class="rest">Create one on the server:</p>
      <p class="command">
        <code>{COMMAND}</code>
        <CopyButton name="Copy" title={COMMAND} textOf={() => COMMAND} />
      </p>
    </main>
  );
}
