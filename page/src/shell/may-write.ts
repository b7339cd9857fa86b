import { createContext } from "preact";

/** Whether this tab's key may change data; otherwise no control offers it. */
export const MayWriteContext = createContext(false);
