/** Milliseconds since the epoch, or undefined where the text is no date and time. */
export function instantOf(text: string, timeZone: string): number | undefined;
export function isTimeOfDay(text: string): boolean;
