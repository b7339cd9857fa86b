/** Stands for `node:timers/promises` in a browser. */

/** Fulfilled after everything that waits already: a message comes without the delay of timers. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}
