import { useEffect, useRef, useState } from "preact/hooks";
import { ask, ApiError } from "../api/client.ts";
import { forgetKey, storeKey } from "../api/key.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { useTitle } from "./use-title.ts";

const COMMAND = "tachograph keys create --name me --scope read";

/** Asks for the key, once for this tab, and tries it before anything else is shown. */
export function KeyForm({ onKey }: { readonly onKey: () => void }) {
  const [complaint, setComplaint] = useState("");
  const [isTrying, setTrying] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useTitle("Key · Tachograph");
  useEffect(() => field.current?.focus(), []);
  async function tryKey(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setTrying(true);
    storeKey(field.current?.value.trim() ?? "");
    try {
      await ask("/Api/LoadTests", { query: { limit: 1 } });
      onKey();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A key that may write but not read is a key all the same.
      if (error.status === 403) return onKey();
      forgetKey();
      setComplaint(
        error.status === 401 ? "This key is not known here, or was revoked." : error.message,
      );
      field.current?.focus();
    } finally {
      setTrying(false);
    }
  }
  return (
    <main class="key-form">
      <h1>This page needs a key</h1>
      <form onSubmit={tryKey}>
        <label for="key">Paste one with the scope read. It is kept in this tab only.</label>
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
      <p class="rest">Make one where the server runs:</p>
      <p class="command">
        <code>{COMMAND}</code>
        <CopyButton name="Copy" title={COMMAND} textOf={() => COMMAND} />
      </p>
    </main>
  );
}
