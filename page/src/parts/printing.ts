/** Paper: the page is laid out for it before the browser prints. */

const EVENT = "tachograph-theme";

/** Draws the charts at the width of paper, in light colours, until printing ends. Call once. */
export function followPrinting(): void {
  const { dataset } = document.documentElement;
  addEventListener("beforeprint", () => {
    dataset["printing"] = "";
    dispatchEvent(new Event(EVENT));
  });
  addEventListener("afterprint", () => {
    delete dataset["printing"];
    dispatchEvent(new Event(EVENT));
  });
}

/** Whether the page is being laid out for paper. */
export function isPrinting(): boolean {
  return document.documentElement.dataset["printing"] !== undefined;
}
