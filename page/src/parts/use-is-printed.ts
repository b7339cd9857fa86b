import { useEffect, useState } from "preact/hooks";

/** Whether the page is on its way to paper, where nothing scrolls. A media query fires too late: pages have been counted. */
export function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    const look = ({ type }: Event): void => setPrinted(type === "beforeprint");
    addEventListener("beforeprint", look);
    addEventListener("afterprint", look);
    return () => {
      removeEventListener("beforeprint", look);
      removeEventListener("afterprint", look);
    };
  }, []);
  return isPrinted;
}
