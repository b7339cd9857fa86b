import { UserError } from "../model/errors.ts";

/** How far a compressed source may inflate. Meant for uploads; local files need no limit. */
export interface InflateLimit {
  readonly inflatedBytes: number;
  /** Inflated bytes for one byte given, looked at once more than 1 MiB was inflated. */
  readonly ratio: number;
}

const RATIO_LOOKED_AT_AFTER_BYTES = 1024 * 1024;

/** Throws `source-too-large` where `inflatedBytes` from `givenBytes` go beyond the limit. */
export function checkInflated(
  limit: InflateLimit,
  inflatedBytes: number,
  givenBytes: number,
): void {
  if (inflatedBytes > limit.inflatedBytes) {
    throw new UserError(
      "source-too-large",
      `the source inflates to more than the ${limit.inflatedBytes} bytes allowed`,
    );
  }
  if (inflatedBytes <= RATIO_LOOKED_AT_AFTER_BYTES) return;
  if (inflatedBytes > givenBytes * limit.ratio) {
    throw new UserError(
      "source-too-large",
      `the source inflates to ${inflatedBytes} bytes from ${givenBytes}: more than ${limit.ratio} to 1`,
    );
  }
}
