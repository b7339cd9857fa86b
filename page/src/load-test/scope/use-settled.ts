import { useEffect, useState } from "preact/hooks";

/** How long a filter has to stand still before very many endpoints are read for it. */
const STILL_MS = 300;

interface FilteredRequest {
  readonly scope: { readonly filter: string };
  /** Whether only some rows of very many are asked for. */
  readonly rows: object | undefined;
}

/** Of very many endpoints a request with the filter that stood still last; of others as it is. */
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
