import { linkTo, type View } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { facetsIn } from "./facet-filter.ts";

/** Links that keep the facets of the URL: hashes of split endpoints mean nothing without. */
export function useFacetLink(): typeof linkTo {
  const { parameters } = useAddress();
  const facets = Object.entries(facetsIn(parameters)).filter(([, text]) => text !== undefined);
  return (view: View, others = new Map()) => linkTo(view, new Map([...others, ...facets]));
}
