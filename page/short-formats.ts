import type { Plugin } from "vite";
import { FORMATS_ABOUT } from "../src/decode/formats-about.ts";

/** Leaves out what pages do not show of formats: 5 kB compressed. */
export function shortFormats(): Plugin {
  const formats = FORMATS_ABOUT.map(({ name, tool, unrecorded, isAveraged }) => {
    return { name, tool, unrecorded, isAveraged };
  });
  return {
    name: "short-formats",
    enforce: "pre",
    load: (id) =>
      id.endsWith("/src/decode/formats-about.ts")
        ? `export const FORMATS_ABOUT = ${JSON.stringify(formats)};`
        : null,
  };
}
