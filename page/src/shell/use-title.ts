import { useEffect } from "preact/hooks";

/** Sets the tab's title. */
export function useTitle(title: string): void {
  useEffect(() => void (document.title = title), [title]);
}
