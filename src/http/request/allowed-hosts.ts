import { isIP } from "node:net";

/** Host name or address, then an optional port. */
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::(\d{0,5}))?$/;

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const WILDCARDS = ["0.0.0.0", "::", ""];

/** The host of a `Host` header in lower case, without port; `undefined` if it is not one. */
export function hostOf(authority: string): string | undefined {
  return AUTHORITY.exec(authority)?.[1]?.toLowerCase();
}

/**
 * Returns a check of host names against DNS rebinding. A server that listens on all addresses accepts
 * any IP address, since an address cannot be rebound.
 */
export function createHostCheck(
  boundHost: string,
  allowedHosts: readonly string[],
): (host: string) => boolean {
  const allowed = new Set([...LOOPBACK, ...allowedHosts, asHost(boundHost)].map(lowerCase));
  const anyAddress = WILDCARDS.includes(boundHost);
  const any = allowed.has("*");
  return (host) => any || allowed.has(host) || (anyAddress && isAddress(host));
}

function asHost(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}
