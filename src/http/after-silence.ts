/**
 * Gives up on a peer once `ms` have passed without `cancel`, which is answered. What has come by then
 * is taken first: a process that was stopped itself, or had too much to do, blames nobody for it.
 */
export function afterSilence(ms: number, giveUp: () => void): () => void {
  let lastLook: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    lastLook = setImmediate(giveUp);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(lastLook);
  };
}
