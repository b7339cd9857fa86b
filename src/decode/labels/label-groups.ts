import { ByteText } from "../bytes/byte-text.ts";
import type { UrlGrouping } from "../decoder.ts";
import { LABEL_BYTES_MAX } from "../decoder.ts";
import { GroupRules } from "./group-rules.ts";
import { foldPath, pathStart, wordEnd } from "./group-urls.ts";
import { dateEnd, uuidEnd } from "./opaque-word.ts";
import { isDigit } from "./url-bytes.ts";

const HYPHEN = 0x2d;
/** JMeter numbers the sub-results of a request: behind its label come a hyphen and so many digits. */
const PLACE_DIGITS_MAX = 3;

/** Puts labels together that are URLs of one kind: docs/labels.md. The same label always gets the same group. */
export class LabelGroups {
  /** Bytes of the label that was folded last, at `[0, length)`. */
  readonly folded = new ByteText();
  readonly #rules: GroupRules;
  readonly #foldsIds: boolean;
  readonly #keepsPlaces: boolean;

  /**
   * `keepsPlaces` leaves what JMeter puts behind the label of a sub-result, which would otherwise be
   * of the same group as its request. Throws `bad-parameter` where a rule is none.
   */
  constructor({ ids, rules }: UrlGrouping, keepsPlaces: boolean) {
    this.#rules = new GroupRules(rules);
    this.#foldsIds = ids;
    this.#keepsPlaces = keepsPlaces;
  }

  /** Folds the label at `[from, to)` into `folded`. Whether that is another one. */
  fold(bytes: Uint8Array, from: number, to: number): boolean {
    const { folded } = this;
    folded.clear();
    const labelTo = this.#keepsPlaces ? placesStart(bytes, from, to) : to;
    this.#foldWords(bytes, from, labelTo);
    folded.append(bytes, labelTo, to);
    if (folded.length > LABEL_BYTES_MAX && to - from <= LABEL_BYTES_MAX) {
      // It has grown to more than can be stored: it stays as it was.
      folded.clear();
      folded.append(bytes, from, to);
    }
    return !folded.equals(bytes, from, to);
  }

  #foldWords(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const end = this.#foldWord(bytes, at, to);
      if (end < to) this.folded.append(bytes, end, end + 1);
      at = end;
    }
  }

  /** Appends what is between `from` and a blank or `to`; returns where it ends. */
  #foldWord(bytes: Uint8Array, from: number, to: number): number {
    const { folded } = this;
    const pathFrom = pathStart(bytes, from, to) ?? wordEnd(bytes, from, to);
    folded.append(bytes, from, pathFrom);
    const group = this.#rules.match(bytes, pathFrom, to);
    if (group === undefined && this.#foldsIds) return foldPath(bytes, pathFrom, to, folded);
    const end = wordEnd(bytes, pathFrom, to);
    if (group === undefined) folded.append(bytes, pathFrom, end);
    else folded.append(group, 0, group.length);
    return end;
  }
}

/** Where the places of a sub-result begin at the end of the label, such as `-0-1`; `to` without. */
function placesStart(bytes: Uint8Array, from: number, to: number): number {
  let start = to;
  while (!endsWithId(bytes, from, start)) {
    let at = start;
    while (at > from && isDigit(bytes[at - 1]) && start - at < PLACE_DIGITS_MAX) at -= 1;
    if (at === start || at - 1 <= from || bytes[at - 1] !== HYPHEN) break;
    start = at - 1;
  }
  return start;
}

/** Whether what ends at `to` ends with a date or a UUID, the hyphens of which are its own. */
function endsWithId(bytes: Uint8Array, from: number, to: number): boolean {
  return (
    (to - 10 >= from && dateEnd(bytes, to - 10, to) === to) ||
    (to - 36 >= from && uuidEnd(bytes, to - 36, to) === to)
  );
}
