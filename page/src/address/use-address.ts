import { linkTo, readAddress } from "./address.ts";
import { createAddressState } from "./address-state.ts";

const state = createAddressState({
  read: () => readAddress(location.pathname, location.search),
  linkTo: ({ view, parameters }) => linkTo(view, parameters),
});

export const { useAddress, changeParameters } = state;

/** Lets links within the page be followed without loading it again. To be called once. */
export function followLinks(): void {
  addEventListener("popstate", state.tellAll);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event)) return;
    if (link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) {
      return;
    }
    if (readAddress(link.pathname, link.search).view.name === "nowhere") return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    state.tellAll();
    scrollTo(0, 0);
  });
}

function isPlainClick(event: MouseEvent): boolean {
  const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey && !defaultPrevented;
}
