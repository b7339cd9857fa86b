/** What stands at a path, and the parameters that the path gives it. */
interface Place<Entry> {
  readonly entry: Entry;
  /** Decoded; may be empty. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Step<Entry> {
  readonly steps: Map<string, Step<Entry>>;
  /** Whatever the segment is, where no other step fits. */
  parameter: { readonly name: string; readonly step: Step<Entry> } | undefined;
  entry: Entry | undefined;
}

/**
 * Finds what stands at a path. Segments are compared decoded and without regard to letter case; `{name}`
 * stands for any segment, an empty one too, and is taken where no segment is written out that leads on.
 */
export class PathTable<Entry> {
  readonly #start: Step<Entry> = createStep();

  /** Puts `entry` at a path, such as `/Api/Keys/{name}`. */
  set(path: string, entry: Entry): void {
    let step = this.#start;
    for (const segment of path.slice(1).split("/")) step = nextStep(step, segment);
    step.entry = entry;
  }

  /** `path` must begin with a slash and be decodable. */
  find(path: string): Place<Entry> | undefined {
    const segments = path.slice(1).split("/").map(decodeURIComponent);
    return follow(this.#start, segments);
  }
}

function createStep<Entry>(): Step<Entry> {
  return { steps: new Map(), parameter: undefined, entry: undefined };
}

/** The step of a segment as it is written in a route, made where it is not there. */
function nextStep<Entry>(step: Step<Entry>, segment: string): Step<Entry> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name !== undefined) {
    step.parameter ??= { name, step: createStep() };
    if (step.parameter.name === name) return step.parameter.step;
    throw new Error(`BUG: the parameters ${step.parameter.name} and ${name} have the same place`);
  }
  const known = step.steps.get(segment.toLowerCase());
  if (known !== undefined) return known;
  const made = createStep<Entry>();
  step.steps.set(segment.toLowerCase(), made);
  return made;
}

function follow<Entry>(
  { entry, steps, parameter }: Step<Entry>,
  segments: readonly string[],
): Place<Entry> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return entry === undefined ? undefined : { entry, parameters: {} };
  const step = steps.get(segment.toLowerCase());
  const found = step && follow(step, rest);
  if (found !== undefined || parameter === undefined) return found;
  const behind = follow(parameter.step, rest);
  if (behind === undefined) return undefined;
  return { ...behind, parameters: { [parameter.name]: segment, ...behind.parameters } };
}
