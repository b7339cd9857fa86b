/** How long a dead block stays in the file, for snapshots of other processes. */
export const BURIAL_DELAY_MS = 120_000;
