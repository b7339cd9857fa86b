import { useEffect, useState } from "preact/hooks";

/** Same breakpoint as in the style sheets. */
const NARROW = "(max-width: 600px)";

/** Whether the window has no room beside charts. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = (): void => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
