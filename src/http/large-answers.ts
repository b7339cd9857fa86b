import { HttpError } from "./http-error.ts";

/** Answers up to this size are sent in one piece with their length. */
export const WHOLE_BYTES_MAX = 64 * 1024;

/** Larger ones under way, all of a kind together: each holds memory for as long as its reader is slow. */
export interface LargeAnswers {
  /** Further ones are refused. */
  readonly max: number;
  underWay: number;
}

/** Whether an answer of so many bytes may be sent now. */
export function hasRoomFor({ max, underWay }: LargeAnswers, bytes: number): boolean {
  return bytes <= WHOLE_BYTES_MAX || underWay < max;
}

/** Throws `busy`, to be sent in place of an answer of so many bytes. */
export function requireRoomFor(answers: LargeAnswers, bytes: number): void {
  if (hasRoomFor(answers, bytes)) return;
  throw new HttpError(
    "busy",
    `${answers.max} large answers are being read, which is all that largeAnswersMax allows: ask ` +
      "again in a few seconds",
  );
}

/** Sends an answer of so many bytes, counted if it is large. */
export async function countLarge<Outcome>(
  answers: LargeAnswers,
  bytes: number,
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const weight = bytes > WHOLE_BYTES_MAX ? 1 : 0;
  answers.underWay += weight;
  try {
    return await send();
  } finally {
    answers.underWay -= weight;
  }
}
