import type { Option } from "commander";
import { InvalidArgumentError } from "commander";
import type { Attributes } from "../../model/load-test/attributes.ts";
import { checkAttributes } from "../../model/load-test/attributes.ts";
import type { Texts } from "../../model/load-test/description.ts";
import { flag } from "../flags.ts";

export interface DescriptionOptions {
  readonly description?: string;
  readonly property?: Texts;
  readonly link?: Texts;
}

export function descriptionFlags(): readonly Option[] {
  return [
    flag("--description <markdown>", "why and how it was run"),
    flag("--property <key=value>", "such as commit=ab12; may be repeated").argParser(pair),
    flag("--link <title=url>", "where more is found; may be repeated").argParser(pair),
  ];
}

function pair(text: string, earlier: Texts = {}): Texts {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Expected a name, = and a value.");
  return { ...earlier, [name]: value };
}

type Described = Pick<Attributes, "description"> &
  Partial<Pick<Attributes, "properties" | "links">>;

/** Checks the values of the flags. Throws `bad-parameter`. */
export function describedBy({ description, property, link }: DescriptionOptions): Described {
  return checkAttributes({ description, properties: property, links: link });
}
