/** `0.5%` as 0.005; `undefined` unless it is from 0 to 100 %. */
export function shareOf(text: string): number | undefined {
  const [, number] = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text.trim()) ?? [];
  const share = number === undefined ? Number.NaN : Number(`${number}e-2`);
  return share <= 1 ? share : undefined;
}
