import { TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

export const FACETS = object({
  facets: list(object({ name: TEXT, values: list(object({ value: TEXT, requests: WHOLE })) })),
});

export type FacetsJson = Static<typeof FACETS>;
