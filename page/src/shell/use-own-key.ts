import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { KEY_FORGOTTEN, storedKey } from "../api/key.ts";
import { askCurrentKey, type Scope } from "../api/keys.ts";

/** The key of this tab, as far as it is known. */
export interface OwnKey {
  readonly hasKey: boolean;
  /** What it may do; nothing while that is not known. */
  readonly scopes: readonly Scope[];
  /** To be called when a key was given. */
  readonly take: () => void;
  /** To be called when the service does not take it. */
  readonly refuse: () => void;
}

/** Follows whether there is a key, and asks what it may do. */
export function useOwnKey(): OwnKey {
  const [hasKey, setHasKey] = useState(storedKey() !== undefined);
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const refuse = (): void => setHasKey(false);
  useEffect(() => {
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
  return { hasKey, scopes, take: () => setHasKey(true), refuse };
}
