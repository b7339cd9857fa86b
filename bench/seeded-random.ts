/** Numbers from 0 up to 1 by Marsaglia's xorshift: the same ones everywhere for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = (seed * 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
