/** How long rows that are gone stay for who reads them already (`sweeper.ts`). */
export const GONE_MS = 60 * 60_000;

/** How long a snapshot may be read: less, by what it takes to notice and to read a last part. */
export const READING_MS_MAX = GONE_MS - 10 * 60_000;
