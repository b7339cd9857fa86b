import { linkTo, readAddress } from "./address.ts";
import { createAddressState } from "./address-state.ts";

const state = createAddressState({
  read: () => readAddress(location.pathname, location.search),
  linkTo: ({ view, parameters }) => linkTo(view, parameters),
});

export const { useAddress, changeParameters } = state;

/** Follows links within the page without reloading it. Call once. */
export function followLinks(): void {
  addEventListener("popstate", ({ state: left }) => {
    state.tellAll();
    if (isScrolled(left)) scrollOnceThere(left.scrollY);
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event)) return;
    if (link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) {
      return;
    }
    if (readAddress(link.pathname, link.search).view.name === "nowhere") return;
    event.preventDefault();
    history.replaceState({ scrollY } satisfies Scrolled, "");
    history.pushState(null, "", link.href);
    state.tellAll();
    scrollTo(0, 0);
  });
}

/** What a history entry remembers of a view that was left. */
interface Scrolled {
  /** Scroll position in pixels. */
  readonly scrollY: number;
}

function isScrolled(left: unknown): left is Scrolled {
  return typeof left === "object" && left !== null && "scrollY" in left;
}

/** A restored view is shorter than it was until its answers arrive. */
const SCROLL_PATIENCE_MS = 5000;

/** Scrolls once the page is tall enough, unless the user scrolls first. */
function scrollOnceThere(top: number): void {
  const end = new AbortController();
  const { signal } = end;
  const grown = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < top + innerHeight) return;
    scrollTo(0, top);
    end.abort();
  });
  grown.observe(document.body);
  signal.addEventListener("abort", () => grown.disconnect());
  for (const event of ["wheel", "touchstart", "keydown", "mousedown", "popstate"]) {
    addEventListener(event, () => end.abort(), { signal, passive: true });
  }
  setTimeout(() => end.abort(), SCROLL_PATIENCE_MS);
}

function isPlainClick(event: MouseEvent): boolean {
  const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey && !defaultPrevented;
}
