import { changeParameters } from "../../address/use-address.ts";
import type { Scope } from "../../api/figures.ts";
import { type KeyActions, useKeys } from "../../shell/keyboard.ts";
import { panned, type Range, WHOLE_TEST, zoomed } from "./range.ts";

interface Shown {
  readonly scope: Scope;
  readonly range: Range;
  readonly whole: Range;
  readonly parameters: ReadonlyMap<string, string>;
  readonly isLogarithmic: boolean;
}

/**
 * Keyboard shortcuts that move the range, switch the charts and clear selections, innermost first; inactive
 * while typing.
 */
export function useScopeKeys({ scope, range, whole, parameters, isLogarithmic }: Shown): void {
  const turn = (name: string, value: string) => () =>
    changeParameters({ [name]: parameters.get(name) === value ? undefined : value });
  const actions: KeyActions = {
    ArrowLeft: () => show(panned(range, -0.25, whole), whole),
    ArrowRight: () => show(panned(range, 0.25, whole), whole),
    "+": () => show(zoomed(range, 0.5, whole), whole),
    "-": () => show(zoomed(range, 2, whole), whole),
    "0": () => show(whole, whole),
    h: turn("view", "heatmap"),
    // Heatmaps are always logarithmic.
    l: () => {
      if (parameters.get("view") === "heatmap") return true;
      return changeParameters({ scale: isLogarithmic ? "linear" : "log" });
    },
    f: () => {
      turn("height", "full")();
      requestAnimationFrame(() => document.querySelector(".charts")?.scrollIntoView());
    },
    ArrowDown: () => focusRow(1),
    ArrowUp: () => focusRow(-1),
    Escape: () => takeOff(scope, parameters),
  };
  useKeys(actions);
}

/** Shows a range; the full range is the default and not in the URL. */
function show({ from, until }: Range, whole: Range): void {
  const isWhole = from <= whole.from && until >= whole.until;
  const range = isWhole ? {} : { from: String(from), until: String(until) };
  // Moving the range stops following.
  changeParameters({ ...WHOLE_TEST, ...range }, "replace");
}

/** Moves from the focused row to the next; without one, the page scrolls as usual. */
function focusRow(step: 1 | -1): boolean {
  const row = document.activeElement?.closest(".endpoints tbody tr");
  const beside = (from: Element | null | undefined) =>
    step === 1 ? from?.nextElementSibling : from?.previousElementSibling;
  let next = beside(row);
  while (next?.matches(".parent") === true) next = beside(next);
  if (!(next instanceof HTMLElement) || !next.matches(".row")) return true;
  next.focus();
  return false;
}

function takeOff(
  { hashes, filter, from, until, where, by }: Scope,
  parameters: ReadonlyMap<string, string>,
): boolean {
  const opened = ["box", "at", "failure"].find((name) => parameters.has(name));
  const isTyping = document.activeElement?.matches("input[type=search]") === true;
  if (isTyping && filter !== "") changeParameters({ filter: undefined });
  else if (opened !== undefined) changeParameters({ [opened]: undefined });
  else if (hashes.length > 0) changeParameters({ endpoints: undefined });
  else if (filter !== "") changeParameters({ filter: undefined });
  else if (where !== undefined) changeParameters({ where: undefined });
  else if (by !== undefined) changeParameters({ by: undefined });
  else if (from !== undefined || until !== undefined) {
    changeParameters(WHOLE_TEST);
  } else return true;
  return false;
}
