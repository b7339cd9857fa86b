import { useEffect, useState } from "preact/hooks";

/** State of the whole page, kept across views. */
export interface SharedState<State> {
  readonly get: () => State;
  readonly set: (state: State) => void;
  /** A hook: the component rerenders when the state changes. */
  readonly use: () => State;
}

export function sharedState<State>(first: State): SharedState<State> {
  let state = first;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set(next) {
      state = next;
      for (const listener of listeners) listener();
    },
    use() {
      const [shown, show] = useState(() => state);
      useEffect(() => {
        const update = (): void => show(() => state);
        listeners.add(update);
        // It may have changed before this listener was added.
        update();
        return () => void listeners.delete(update);
      }, []);
      return shown;
    },
  };
}
