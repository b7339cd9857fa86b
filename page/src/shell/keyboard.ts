import { useLayoutEffect, useRef } from "preact/hooks";

/** What a key does; `true`: nothing after all, so that it keeps its usual meaning. */
export type KeyActions = Readonly<Record<string, () => boolean | void>>;

/** Keys of the whole view, by `event.key`; where somebody types they are left alone, but for Escape. */
export function useKeys(actions: KeyActions): void {
  // What was drawn last decides, also when keys come faster than effects.
  const latest = useRef(actions);
  latest.current = actions;
  // Before the view is painted: a key pressed at what is seen is not lost.
  useLayoutEffect(() => {
    const act = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event) && event.key !== "Escape") return;
      const { current } = latest;
      const action = Object.hasOwn(current, event.key) ? current[event.key] : undefined;
      if (action === undefined || action() === true) return;
      event.preventDefault();
    };
    addEventListener("keydown", act);
    return () => removeEventListener("keydown", act);
  }, []);
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox";
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}
