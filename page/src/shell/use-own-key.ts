import { useEffect, useState } from "preact/hooks";
import { KEY_FORGOTTEN, storedKey } from "../api/key.ts";
import { askCurrentKey, type Scope } from "../api/keys.ts";
import { forgetAnswers, useAnswer } from "../api/use-answer.ts";

/** This tab's key, as far as known. */
export interface OwnKey {
  readonly hasKey: boolean;
  /** Whether the service refused the key; one refused request is enough. */
  readonly wasRefused: boolean;
  /** Its scopes; empty until known. */
  readonly scopes: readonly Scope[];
  /** Call after a key was entered. */
  readonly take: () => void;
}

/** Tracks whether there is a key and requests its scopes. */
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
