import { useLayoutEffect, useRef } from "preact/hooks";
import { signIn } from "../api/client.ts";
import { askSignIn, noteLeaving, refusedBecause } from "../api/sign-in.ts";
import { useAnswer } from "../api/use-answer.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { useTitle } from "./use-title.ts";
import { useAttempt } from "../parts/use-submit.ts";

const COMMAND = "tachograph keys create --name me --scope read";

const REFUSED = "This key is unknown or was revoked.";

const ENDED = "You are signed out. Sessions last 12 hours, and end with their key.";

interface KeyFormProps {
  /** Whether there was a session before. */
  readonly hasEnded: boolean;
  readonly onKey: () => void;
}

/** Asks for a key and signs in with it. */
export function KeyForm({ hasEnded, onKey }: KeyFormProps) {
  const reason = refusedBecause() ?? (hasEnded ? ENDED : "");
  const { complaint, isRunning, attempt } = useAttempt(reason);
  const field = useRef<HTMLInputElement>(null);
  useTitle("Key · Tachograph");
  useLayoutEffect(() => field.current?.focus(), []);
  async function tryKey(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const isSignedIn = await attempt(
      async () => {
        await signIn(field.current?.value.trim() ?? "");
        onKey();
      },
      ({ status, message }) => (status === 401 ? REFUSED : message),
    );
    if (isSignedIn === false) field.current?.focus();
  }
  return (
    <main class="key-form">
      <h1>This page needs a key</h1>
      <AccountLink />
      <form onSubmit={tryKey}>
        <label for="key">Paste a key with the scope read. You stay signed in for 12 hours.</label>
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
          <button class="filled" type="submit" disabled={isRunning}>
            Sign in
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

/** Leads to the provider of accounts, if there is one. */
function AccountLink() {
  const { value } = useAnswer("sign in", "way", askSignIn);
  const path = value?.path ?? null;
  if (path === null) return null;
  return (
    <p>
      <a class="button filled" href={path} onClick={noteLeaving}>
        Sign in with your account
      </a>
    </p>
  );
}
