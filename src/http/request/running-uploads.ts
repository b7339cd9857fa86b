import type { ImportReport } from "../../model/import-report.ts";
import type { ImportProgress } from "../../import/import-results.ts";

/** An upload that is being received, as far as it has come. */
export interface UploadState {
  /** Name of the file. */
  readonly file: string;
  readonly receivedBytes: number;
  /** As long as it is not known, `undefined`. */
  readonly sizeBytes: number | undefined;
  readonly progress: ImportProgress | undefined;
}

/** What an import of an upload reads and tells. */
interface EndableUpload {
  /** The body, until its end or until it is stopped. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: ImportProgress) => void;
}

interface UploadAbout extends Pick<UploadState, "file" | "sizeBytes"> {
  readonly loadTestId: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Uploads under way, by load test: what can be told of them, and how they are stopped. */
export class RunningUploads {
  readonly #byLoadTest = new Map<string, Set<RunningUpload>>();

  /** Does an import that can be stopped meanwhile. Throws what it throws. */
  async run(
    { loadTestId, ...about }: UploadAbout,
    work: (upload: EndableUpload) => Promise<ImportReport>,
  ): Promise<ImportReport> {
    const uploads = this.#byLoadTest.get(loadTestId) ?? new Set();
    this.#byLoadTest.set(loadTestId, uploads);
    const upload = new RunningUpload(about, work);
    uploads.add(upload);
    try {
      return await upload.report;
    } finally {
      uploads.delete(upload);
      if (uploads.size === 0) this.#byLoadTest.delete(loadTestId);
    }
  }

  /** Those into a load test, the first one first. */
  of(loadTestId: string): readonly UploadState[] {
    return [...(this.#byLoadTest.get(loadTestId) ?? [])].map(({ state }) => state);
  }

  /**
   * Lets the files that are being received into a load test end where they are, and waits for what
   * becomes of them. Those of which nothing can be imported have no report.
   */
  async stop(loadTestId: string): Promise<readonly ImportReport[]> {
    const uploads = [...(this.#byLoadTest.get(loadTestId) ?? [])];
    for (const upload of uploads) upload.stop();
    const ends = await Promise.allSettled(uploads.map(({ report }) => report));
    return ends.flatMap((end) => (end.status === "fulfilled" ? end.value : []));
  }
}

class RunningUpload {
  readonly report: Promise<ImportReport>;
  readonly #about: Omit<UploadAbout, "loadTestId">;
  #isStopped = false;
  /** Ends the wait for the next chunk. */
  #giveUp: () => void = () => undefined;
  #receivedBytes = 0;
  #progress: ImportProgress | undefined;

  constructor(
    about: Omit<UploadAbout, "loadTestId">,
    work: (upload: EndableUpload) => Promise<ImportReport>,
  ) {
    this.#about = about;
    this.report = work({
      chunks: this.#chunks(),
      isStopped: () => this.#isStopped,
      onProgress: (progress) => {
        this.#progress = progress;
      },
    });
  }

  get state(): UploadState {
    const { file, sizeBytes } = this.#about;
    return { file, sizeBytes, receivedBytes: this.#receivedBytes, progress: this.#progress };
  }

  stop(): void {
    this.#isStopped = true;
    this.#giveUp();
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    const chunks = this.#about.body[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#unlessStopped(chunks.next());
      if (next === undefined || next.done === true) return;
      this.#receivedBytes += next.value.length;
      yield next.value;
    }
  }

  /**
   * The next chunk may be long in coming, or never come: stopping does not wait for it. Each has a
   * promise of its own: a race with one for all of them would hold all chunks until the end.
   */
  #unlessStopped<Next>(next: Promise<Next>): Promise<Next | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Next | undefined>();
    this.#giveUp = () => resolve(undefined);
    if (this.#isStopped) this.#giveUp();
    next.then(resolve, reject);
    return promise;
  }
}
