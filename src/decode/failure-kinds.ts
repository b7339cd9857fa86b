import {
  FAILURE_KINDS_MAX,
  FAILURE_TEXT_CHARACTERS_MAX,
  type FailureKind,
  OTHER_FAILURES,
} from "../model/failures.ts";

/** From here on, a status says that a request has failed, where nothing else does. */
const FAILED_FROM = 400;

/** Numbers the kinds of failures of one source, at most `FAILURE_KINDS_MAX` for each label. */
export class FailureKinds {
  /** The kinds by their numbers. */
  readonly kinds: readonly FailureKind[];
  readonly #kinds: FailureKind[] = [];
  /** By message within code, so that no text has to be joined to look one up. */
  readonly #numbers = new Map<string, Map<string, number>>();
  /** The kinds that each label has. */
  readonly #ofLabel = new Map<number, Set<number>>();
  #unnamed = 0;

  constructor() {
    this.kinds = this.#kinds;
  }

  /** Failures that count as `OTHER_FAILURES` because their label has kinds enough. */
  get unnamed(): number {
    return this.#unnamed;
  }

  /** The number of a kind that label `label` failed with. */
  numberOf(label: number, wholeCode: string, wholeMessage: string): number {
    const code = cutText(wholeCode);
    const message = cutText(wholeMessage);
    const known = this.#numbers.get(code)?.get(message);
    const own = this.#kindsOf(label);
    if (known !== undefined && own.has(known)) return known;
    if (own.size >= FAILURE_KINDS_MAX) {
      this.#unnamed += 1;
      return this.#intern(OTHER_FAILURES.code, OTHER_FAILURES.message);
    }
    const number = known ?? this.#intern(code, message);
    own.add(number);
    return number;
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

/** Texts beyond the limit end with an ellipsis; half a surrogate pair does not stay behind. */
function cutText(text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= FAILURE_TEXT_CHARACTERS_MAX) return whole;
  return `${whole.slice(0, FAILURE_TEXT_CHARACTERS_MAX - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** What a reader of the failures should know, as notes of an import. */
export function failureNotes({ unnamed }: FailureKinds): string[] {
  if (unnamed === 0) return [];
  return [`failures of kinds beyond the first ${FAILURE_KINDS_MAX} of their label: ${unnamed}`];
}

/** Whether a request has failed by the status of its answer; 0 is none. */
export function hasFailedStatus(status: number): boolean {
  return status === 0 || status >= FAILED_FROM;
}
