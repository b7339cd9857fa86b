import { useLayoutEffect, useState } from "preact/hooks";

/** Current width of an element in pixels; 0 until it is known. */
export function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.current?.clientWidth ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
