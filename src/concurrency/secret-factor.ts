/**
 * Returns an odd number of 31 bits for hashes, another one in each process: senders who knew it could choose texts or numbers
 * that all have the same hash.
 */
export function secretFactor(): number {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (word & 0x3fffffff) | 0x40000001;
}
