/** Opens the modules of `kernel/`, which work in memory of their own that never moves nor grows. */

const compiled = new Map<string, WebAssembly.Module>();

/**
 * What a new instance of a module in base64 exports: its memory, constants, numbers that change and
 * functions. An instance takes a fraction of a millisecond to open, and as much memory as it comes
 * to use. The module itself is compiled once.
 */
export function openKernel(module: string): WebAssembly.Exports {
  const known = compiled.get(module);
  const opened = known ?? new WebAssembly.Module(Buffer.from(module, "base64"));
  if (known === undefined) compiled.set(module, opened);
  return new WebAssembly.Instance(opened).exports;
}
