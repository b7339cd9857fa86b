import type { Rejection } from "../../model/import-report.ts";
import type { ByteWindow } from "../bytes/byte-window.ts";
import type { SampleSink } from "../decoder.ts";
import { quoted } from "../quoted.ts";
import type { RowRepairs } from "../row-repairs.ts";
import { JsonReader, type JsonHandler, type JsonScalarKind } from "./json-reader.ts";

/** A document with an object per request. Paths are the keys that lead to a container: `/details//` is an item of `details`. */
export interface RecordDocument {
  /** Whether a container is read. */
  wants(path: string): boolean;
  /** Those whose items are requests. */
  isList(path: string): boolean;
  /** A scalar outside of requests. */
  scalar(path: string, key: string, text: string): void;
  /** Records a request from its members, those of containers within by `container/key`. Returns why it cannot be recorded. */
  record(members: ReadonlyMap<string, string>, list: string): string | undefined;
}

/** Reads the requests of a document one at a time. */
export class JsonRecords implements JsonHandler {
  readonly reader: JsonReader;
  /** Items so far, also those that are rejected. */
  count = 0;
  readonly #document: RecordDocument;
  readonly #sink: SampleSink;
  readonly #repairs: RowRepairs;
  readonly #paths: string[] = [];
  #members: Map<string, string> | undefined;
  #list = "";
  #place: Pick<Rejection, "line" | "byte"> = { line: 0, byte: 0 };

  constructor(window: ByteWindow, document: RecordDocument, sink: SampleSink, repairs: RowRepairs) {
    this.reader = new JsonReader(window, this);
    this.#document = document;
    this.#sink = sink;
    this.#repairs = repairs;
  }

  enter(key: string): boolean {
    const parent = this.#paths.at(-1) ?? "";
    const path = `${parent}${key}/`;
    if (!this.#document.wants(path)) return false;
    this.#paths.push(path);
    if (this.#members === undefined && this.#document.isList(parent)) {
      this.#list = parent;
      this.#members = new Map();
      this.#place = this.reader.place;
    }
    return true;
  }

  scalar(key: string, _kind: JsonScalarKind, text: string): void {
    const path = this.#paths.at(-1) ?? "";
    if (this.#members !== undefined) {
      const within = path.slice(this.#list.length + 1);
      this.#members.set(`${within}${key}`, text);
    } else if (this.#document.isList(path)) {
      this.count += 1;
      const reason = `the request is not an object: got ${quoted(text)}`;
      this.#sink.reject({ ...this.reader.place, reason });
    } else this.#document.scalar(path, key, text);
  }

  leave(): void {
    this.#paths.pop();
    const members = this.#members;
    if (members === undefined || this.#paths.at(-1) !== this.#list) return;
    this.#members = undefined;
    this.count += 1;
    const reason = this.#document.record(members, this.#list);
    if (reason !== undefined) this.#sink.reject({ ...this.#place, reason });
    else this.#repairs.report(this.#sink, this.#place);
  }
}
