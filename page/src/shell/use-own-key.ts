import { useEffect, useState } from "preact/hooks";
import { isSignedIn, onSignOut } from "../api/key.ts";
import { askCurrentKey, type Scope } from "../api/keys.ts";
import { forgetAnswers, useAnswer } from "../api/use-answer.ts";

/** The key of the session, as far as known. */
export interface OwnKey {
  readonly hasKey: boolean;
  /** Whether a session has ended since the page was opened; one refused request is enough. */
  readonly hasEnded: boolean;
  /** Its scopes; empty until known. */
  readonly scopes: readonly Scope[];
  /** Call after signing in. */
  readonly take: () => void;
}

/** Tracks whether there is a session and requests the scopes of its key. */
export function useOwnKey(): OwnKey {
  const [hasKey, setHasKey] = useState(isSignedIn);
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    return onSignOut(() => {
      forgetAnswers();
      setHasKey(false);
      setEnded(true);
    });
  }, []);
  const { value } = useAnswer("own key", hasKey ? "mine" : "", askCurrentKey);
  const scopes = hasKey ? (value?.scopes ?? NO_SCOPES) : NO_SCOPES;
  return { hasKey, hasEnded, scopes, take: () => setHasKey(true) };
}

const NO_SCOPES: readonly Scope[] = [];
