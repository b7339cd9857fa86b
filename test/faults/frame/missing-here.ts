/** Thrown by a fault run for what this machine does not allow: the run is named as missing, not failed. */
export class MissingHere extends Error {}
