import { useEffect, useState } from "preact/hooks";

/** How long a filter must stay unchanged before very many endpoints are read. */
const STILL_MS = 300;

interface FilteredRequest {
  readonly scope: { readonly filter: string };
  /** Whether only some rows of very many are requested. */
  readonly rows: object | undefined;
}

/** With very many endpoints, a request with the last settled filter; otherwise unchanged. */
export function useSettled<Request extends FilteredRequest>(request: Request): Request {
  const { filter } = request.scope;
  const isMany = request.rows !== undefined;
  const [settled, setSettled] = useState(filter);
  useEffect(() => {
    if (settled === filter) return undefined;
    const timer = setTimeout(() => setSettled(filter), isMany ? STILL_MS : 0);
    return () => clearTimeout(timer);
  }, [filter, settled, isMany]);
  if (!isMany || settled === filter) return request;
  return { ...request, scope: { ...request.scope, filter: settled } };
}
