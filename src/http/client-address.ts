import { BlockList, isIP } from "node:net";

/** Whether an address is in the list. */
export type AddressCheck = (address: string) => boolean;

/** Whether `text` is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Checks addresses against networks, each of which `isNetwork`. */
export function createAddressCheck(networks: readonly string[]): AddressCheck {
  if (networks.length === 0) return () => false;
  const listed = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = familyOf(address);
    if (bits === undefined) listed.addAddress(address, family);
    else listed.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && listed.check(address, familyOf(address));
}

/**
 * The peer's address or, if the peer is a trusted proxy, the last untrusted address in
 * `X-Forwarded-For`.
 */
export function clientAddress(
  connected: string,
  forwardedFor: string | undefined,
  isTrusted: AddressCheck,
): string {
  if (forwardedFor === undefined || !isTrusted(connected)) return connected;
  let address = connected;
  for (const before of forwardedFor.split(",").toReversed()) {
    const named = before.trim();
    if (!isTrusted(address) || isIP(named) === 0) break;
    address = named;
  }
  return address;
}

/** An IPv6 address as its /64 network, since one client usually owns all of it. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6 || address.startsWith("::ffff:")) return address;
  const [head = [], tail] = address.split("::").map((part) => part.split(":"));
  if (tail === undefined) return head.slice(0, 4).join(":");
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
