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
  /** The only one that it sees; `undefined`: what belongs to none, or not known yet. */
  readonly project: string | undefined;
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
  const key = hasKey ? value : undefined;
  const { scopes = NO_SCOPES, project } = key ?? {};
  return { hasKey, hasEnded, scopes, project, take: () => setHasKey(true) };
}

const NO_SCOPES: readonly Scope[] = [];
