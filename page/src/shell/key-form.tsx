import { useState } from "preact/hooks";
import { ask, ApiError } from "../api/client.ts";
import { forgetKey, storeKey } from "../api/key.ts";

/** Asks for the key, once for this tab, and tries it before anything else is shown. */
export function KeyForm({ onKey }: { readonly onKey: () => void }) {
  const [complaint, setComplaint] = useState("");
  const [isTrying, setTrying] = useState(false);
  async function tryKey(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const field = new FormData(event.currentTarget as HTMLFormElement).get("key");
    setTrying(true);
    storeKey(typeof field === "string" ? field.trim() : "");
    try {
      await ask("/Api/LoadTests", { query: { limit: 1 } });
      onKey();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A key that may write but not read is a key all the same.
      if (error.status === 403) return onKey();
      forgetKey();
      setComplaint(
        error.status === 401 ? "This key is not known, or not any more." : error.message,
      );
    } finally {
      setTrying(false);
    }
  }
  return (
    <main class="key-form">
      <h1>Key</h1>
      <form onSubmit={tryKey}>
        <label for="key">A key of this service, kept for this tab only</label>
        <div class="line">
          <input
            id="key"
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
          />
          <button class="filled" type="submit" disabled={isTrying}>
            Open
          </button>
        </div>
        <p class="complaint" role="alert">
          {complaint}
        </p>
      </form>
      <p class="hint">
        Made on the machine of the service with{" "}
        <code>tachograph keys create --name me --scope read</code>
      </p>
    </main>
  );
}
