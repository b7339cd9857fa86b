/** From here on, a status says that a request has failed, where nothing else does. */
const FAILED_FROM = 400;

/** Whether a request has failed by the status of its answer; 0 is none. */
export function hasFailedStatus(status: number): boolean {
  return status === 0 || status >= FAILED_FROM;
}
