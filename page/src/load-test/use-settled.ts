import { useEffect, useState } from "preact/hooks";

/** How long a filter has to stand still before very many endpoints are read for it. */
const STILL_MS = 300;

interface FilteredWish {
  readonly scope: { readonly filter: string };
  /** Whether only some rows of very many are asked for. */
  readonly rows: object | undefined;
}

/** Of very many endpoints a wish with the filter that stood still last; of others as it is. */
export function useSettled<Wish extends FilteredWish>(wish: Wish): Wish {
  const { filter } = wish.scope;
  const isMany = wish.rows !== undefined;
  const [settled, setSettled] = useState(filter);
  useEffect(() => {
    if (settled === filter) return undefined;
    const timer = setTimeout(() => setSettled(filter), isMany ? STILL_MS : 0);
    return () => clearTimeout(timer);
  }, [filter, settled, isMany]);
  if (!isMany || settled === filter) return wish;
  return { ...wish, scope: { ...wish.scope, filter: settled } };
}
