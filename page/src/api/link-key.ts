/** A link has its key behind the `#` of its URL, which browsers send to no server. */

const HASH = /^#(tgl_\w+)$/;

/** The key of the link that this tab was opened with; it stays in the URLs of all views. */
export const LINK_KEY = typeof location === "undefined" ? undefined : keyNow();

function keyNow(): string | undefined {
  return HASH.exec(location.hash)?.[1];
}

/** Opens another link that is pasted over the URL. Call once. */
export function followLinkKeys(): void {
  addEventListener("hashchange", () => {
    if (keyNow() !== LINK_KEY) location.reload();
  });
}
