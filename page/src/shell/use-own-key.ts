import { useEffect, useState } from "preact/hooks";
import { KEY_FORGOTTEN, storedKey } from "../api/key.ts";
import { askCurrentKey, type Scope } from "../api/keys.ts";
import { forgetAnswers, useAnswer } from "../api/use-answer.ts";

/** The key of this tab, as far as it is known. */
export interface OwnKey {
  readonly hasKey: boolean;
  /** Whether there was one, and the service refused it: whatever was asked, one answer is enough. */
  readonly wasRefused: boolean;
  /** What it may do; nothing while that is not known. */
  readonly scopes: readonly Scope[];
  /** To be called when a key was given. */
  readonly take: () => void;
}

/** Follows whether there is a key, and asks what it may do. */
export function useOwnKey(): OwnKey {
  const [hasKey, setHasKey] = useState(storedKey() !== undefined);
  const [wasRefused, setRefused] = useState(false);
  useEffect(() => {
    const refuse = (): void => {
      forgetAnswers();
      setHasKey(false);
      setRefused(true);
    };
    addEventListener(KEY_FORGOTTEN, refuse);
    return () => removeEventListener(KEY_FORGOTTEN, refuse);
  }, []);
  const { value } = useAnswer("own key", hasKey ? "mine" : "", askCurrentKey);
  const scopes = hasKey ? (value?.scopes ?? NO_SCOPES) : NO_SCOPES;
  return { hasKey, wasRefused, scopes, take: () => setHasKey(true) };
}

const NO_SCOPES: readonly Scope[] = [];
