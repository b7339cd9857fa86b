import {
  FAILURE_KINDS_MAX,
  FAILURE_TEXT_CHARACTERS_MAX,
  type FailureKind,
  OTHER_FAILURES,
} from "../model/failures.ts";

/** Statuses from here on are failures, if nothing else tells. */
const FAILED_FROM = 400;

/** Numbers the failure kinds of a source, at most `FAILURE_KINDS_MAX` per label. */
export class FailureKinds {
  readonly kinds: readonly FailureKind[];
  /** Failures counted as `OTHER_FAILURES` because their label is over the limit of kinds. */
  unnamed = 0;
  readonly #kinds: FailureKind[] = [];
  /** By code, then message: a lookup joins no text. */
  readonly #numbers = new Map<string, Map<string, number>>();
  readonly #ofLabel = new Map<number, Set<number>>();

  constructor() {
    this.kinds = this.#kinds;
  }

  numberOf(label: number, wholeCode: string, wholeMessage: string): number {
    const code = cutText(wholeCode);
    const message = cutText(wholeMessage);
    const cached = this.#numbers.get(code)?.get(message);
    const own = this.#kindsOf(label);
    if (cached !== undefined && own.has(cached)) return cached;
    if (own.size >= FAILURE_KINDS_MAX) {
      this.unnamed += 1;
      return this.#intern(OTHER_FAILURES.code, OTHER_FAILURES.message);
    }
    const number = cached ?? this.#intern(code, message);
    own.add(number);
    return number;
  }

  /** The kind, if any label has had it. */
  known(code: string, message: string): FailureKind | undefined {
    const number = this.#numbers.get(cutText(code))?.get(cutText(message));
    return number === undefined ? undefined : this.#kinds[number];
  }

  #kindsOf(label: number): Set<number> {
    const found = this.#ofLabel.get(label);
    if (found !== undefined) return found;
    const added = new Set<number>();
    this.#ofLabel.set(label, added);
    return added;
  }

  #intern(code: string, message: string): number {
    const messages = this.#numbers.get(code) ?? new Map<string, number>();
    this.#numbers.set(code, messages);
    const found = messages.get(message);
    if (found !== undefined) return found;
    const number = this.#kinds.length;
    this.#kinds.push({ code, message });
    messages.set(message, number);
    return number;
  }
}

/** Truncates with an ellipsis, never within a surrogate pair. */
function cutText(text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= FAILURE_TEXT_CHARACTERS_MAX) return whole;
  return `${whole.slice(0, FAILURE_TEXT_CHARACTERS_MAX - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

export function failureNotes({ unnamed }: FailureKinds): string[] {
  if (unnamed === 0) return [];
  return [`failures of kinds beyond the first ${FAILURE_KINDS_MAX} of their label: ${unnamed}`];
}

/** Whether an HTTP status is a failure; 0 is none. */
export function hasFailedStatus(status: number): boolean {
  return status === 0 || status >= FAILED_FROM;
}
