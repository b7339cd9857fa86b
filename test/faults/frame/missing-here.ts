/**
 * Thrown by a fault run that this machine does not permit: the run is reported as missing, not failed.
 */
export class MissingHere extends Error {}
