import { useEffect } from "preact/hooks";

export function useTitle(title: string): void {
  useEffect(() => void (document.title = title), [title]);
}
