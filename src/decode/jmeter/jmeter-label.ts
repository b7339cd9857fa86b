import { LabelTemplate } from "../labels/label-template.ts";

/** What JMeter puts behind the name of a thread group: the group's and the thread's number. */
const THREAD_NUMBER = / \d+-\d+$/;
const THREAD_NAME = "threadName";
const THREAD_GROUP = "group";

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The fields that a template may name where a source has those of `names`. */
export function labelFieldsOf(names: readonly string[]): readonly string[] {
  return names.includes(THREAD_NAME) ? [...names, THREAD_GROUP] : names;
}

/**
 * The labels of JMeter's samples where a template puts them together: of what a source records, by
 * the names of its columns, and of the `group` that the name of a thread begins with.
 */
export class JmeterLabel {
  readonly #template: LabelTemplate;
  readonly #threadName: number;
  readonly #group: number;

  /** Throws `bad-parameter` where the template names a field that is not in `names`. */
  constructor(template: string, names: readonly string[]) {
    this.#template = new LabelTemplate(template, labelFieldsOf(names));
    this.#threadName = names.indexOf(THREAD_NAME);
    this.#group = this.#threadName < 0 ? -1 : names.length;
  }

  /** Whether labels hold what stands in a column, by its index in `names`. */
  uses(column: number): boolean {
    const isGroup = column === this.#threadName && this.#template.uses(this.#group);
    return isGroup || this.#template.uses(column);
  }

  /** The label of a sample, until the next call; `contentsOf` gives a field by its index in `names`. */
  labelOf(contentsOf: (field: number) => Uint8Array | undefined): Uint8Array {
    return this.#template.labelOf((field) => {
      if (field !== this.#group) return contentsOf(field) ?? NOTHING;
      const threadName = utf8.decode(contentsOf(this.#threadName));
      return encoder.encode(threadName.replace(THREAD_NUMBER, ""));
    });
  }
}
