const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Returns whether a label matches one of the patterns, in which `*` stands for any characters, also none. */
export function labelMatcher(patterns: readonly string[]): (label: string) => boolean {
  const forms = patterns.map((pattern) => {
    const parts = pattern.split("*").map((part) => part.replaceAll(SPECIAL, String.raw`\$&`));
    return new RegExp(`^${parts.join("[^]*")}$`);
  });
  return (label) => forms.some((form) => form.test(label));
}
