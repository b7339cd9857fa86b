import { useEffect } from "preact/hooks";

/** Names the tab by what is shown. */
export function useTitle(title: string): void {
  useEffect(() => void (document.title = title), [title]);
}
