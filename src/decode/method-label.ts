import type { LabelTable } from "./label-table.ts";

const BLANK = Uint8Array.of(0x20);

/** The index of the label `METHOD name`, or of the name alone where there is no method. */
export function methodLabel(labels: LabelTable, method: Uint8Array, name: Uint8Array): number {
  if (method.length === 0) return labels.indexOf(name, 0, name.length);
  const label = Buffer.concat([method, BLANK, name]);
  return labels.indexOf(label, 0, label.length);
}
