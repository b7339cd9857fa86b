import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { KEY_FORGOTTEN, storedKey } from "../api/key.ts";
import { askCurrentKey, type Scope } from "../api/keys.ts";

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
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  useEffect(() => {
    const refuse = (): void => {
      setHasKey(false);
      setRefused(true);
    };
    addEventListener(KEY_FORGOTTEN, refuse);
    return () => removeEventListener(KEY_FORGOTTEN, refuse);
  }, []);
  useEffect(() => {
    setScopes([]);
    if (!hasKey) return undefined;
    const abort = new AbortController();
    askCurrentKey(abort.signal).then(
      (key) => setScopes(key.scopes),
      // Without an answer only a link is missing; the view itself says what is wrong.
      (error: unknown) => {
        if (!abort.signal.aborted && !(error instanceof ApiError)) throw error;
      },
    );
    return () => abort.abort();
  }, [hasKey]);
  return { hasKey, wasRefused, scopes, take: () => setHasKey(true) };
}
