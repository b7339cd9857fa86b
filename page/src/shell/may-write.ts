import { createContext } from "preact";

/** Whether the key of this tab may change something; without that, nothing offers to. */
export const MayWriteContext = createContext(false);
