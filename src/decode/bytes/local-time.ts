/** From the time that clocks show in one zone to instants. */

const MINUTES_KEPT = 100_000;
const DAY_SECONDS = 86_400;

/**
 * The clocks of one time zone. A time that they show twice (set back in autumn) is the earlier
 * instant; one that they skip (set forward in spring) is read as if they had not been set yet.
 */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;
  /** Minute shown to its UNIX second: the rules of zones are too slow to ask for every row. */
  readonly #known = new Map<number, number>();

  /** `timeZone` is an IANA name, such as `Europe/Berlin`. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /**
   * The UNIX second at which a full minute begins. `shown` is that minute as if the zone were UTC,
   * in seconds since the epoch.
   */
  minuteStart(shown: number): number {
    const known = this.#known.get(shown);
    if (known !== undefined) return known;
    if (this.#known.size >= MINUTES_KEPT) this.#known.clear();
    const start = this.#instantOf(shown);
    this.#known.set(shown, start);
    return start;
  }

  #instantOf(shown: number): number {
    const offsetBefore = this.#offsetAt(shown - DAY_SECONDS);
    const first = shown - offsetBefore;
    if (this.#offsetAt(first) === offsetBefore) return first;
    const offsetAfter = this.#offsetAt(shown + DAY_SECONDS);
    const second = shown - offsetAfter;
    return this.#offsetAt(second) === offsetAfter ? second : first;
  }

  /** How far the zone's clocks are ahead of UTC at an instant, in seconds. */
  #offsetAt(second: number): number {
    const parts = this.#format.formatToParts(second * 1000);
    const shown = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((part) => part.type === type)?.value);
    const clock = Date.UTC(
      shown("year"),
      shown("month") - 1,
      shown("day"),
      shown("hour"),
      shown("minute"),
      shown("second"),
    );
    return clock / 1000 - second;
  }
}
