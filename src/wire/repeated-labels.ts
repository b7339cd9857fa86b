import { LruCache } from "../concurrency/lru-cache.ts";

/** Labels of all remembered lists together; each takes some 100 bytes. */
const LABELS_MAX = 100_000;

const lists = new LruCache<string, readonly string[]>(LABELS_MAX);

/**
 * The list that was remembered and has the same labels. A sender repeats its labels in each batch: they need no second
 * check, and a store recognises the list itself, and looks up no label.
 */
export function findLabels(labels: readonly unknown[]): readonly string[] | undefined {
  const known = lists.get(nameOf(labels));
  return known?.every((label, index) => label === labels[index]) === true ? known : undefined;
}

/** Remembers a list of valid labels. */
export function rememberLabels(labels: readonly string[]): void {
  lists.set(nameOf(labels), labels, labels.length);
}

/** Lists of different senders rarely have the same; those of one sender that differ do not fill the memory. */
function nameOf(labels: readonly unknown[]): string {
  return `${labels.length} ${String(labels[0])} ${String(labels.at(-1))}`;
}
