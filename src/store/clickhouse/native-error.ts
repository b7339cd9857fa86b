/** An answer that is no whole series of blocks: the server broke it off, or it is not understood. */
export class NativeError extends Error {
  /** Number of the server's exception, where it was one. */
  readonly serverCode: number | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly serverCode?: number }) {
    super(message, options);
    this.name = "NativeError";
    this.serverCode = options?.serverCode;
  }
}
