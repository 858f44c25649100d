import { endOfString } from "../../src/model/formats/count-json.ts";

/** The content of the text of an AdmissionReview, as far as it is known without parsing it. */
export interface ReviewScan {
  /** `request.uid`; null if there is none. */
  uid: string | null;
  /** `request.namespace`; null if there is none. */
  namespace: string | null;
  /** `request.object`; zeros if there is none. */
  object: Extent;
  /** Whether `request.object` is being deleted. */
  deleting: boolean;
}

export interface Extent {
  /** Characters of JSON. */
  characters: number;
  /** Objects, lists and values, counted by the braces, brackets and commas of the text. */
  nodes: number;
  /** Levels of nesting. */
  depth: number;
}

/** Depths of the text: in the review, in its request, in the request's object, in the object's metadata. */
const [IN_REVIEW, IN_REQUEST, IN_OBJECT, IN_METADATA] = [1, 2, 3, 4];

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

class Scanner {
  readonly #text: string;
  readonly #keys: string[] = [];
  #depth = 0;
  #nodes = 0;
  #deepest = 0;
  /** Of the latest string. */
  #start = 0;
  #end = 0;
  #objectAt = -1;
  readonly scan: ReviewScan = {
    uid: null,
    namespace: null,
    object: { characters: 0, nodes: 0, depth: 0 },
    deleting: false,
  };

  constructor(text: string) {
    this.#text = text;
  }

  run(): ReviewScan {
    for (let at = 0; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) at = this.#string(at);
      else if (code === COMMA) this.#comma();
      else if (code === COLON) this.#colon();
      // { and [ are 0x7b and 0x5b, } and ] are 0x7d and 0x5d.
      else if ((code | 0x20) === 0x7b) this.#open(at);
      else if ((code | 0x20) === 0x7d) this.#close(at);
    }
    return this.scan;
  }

  #string(at: number): number {
    this.#start = at + 1;
    this.#end = endOfString(this.#text, at);
    return this.#end;
  }

  /** A value that is a string has been read by now. */
  #takeValue(): void {
    if (this.#depth !== IN_REQUEST || this.#keys[IN_REVIEW] !== "request") return;
    const key = this.#keys[IN_REQUEST];
    if (key === "uid" || key === "namespace") this.scan[key] ??= this.#text.slice(this.#start, this.#end);
  }

  #comma(): void {
    this.#nodes += 1;
    if (this.#depth === IN_REQUEST) this.#takeValue();
  }

  #colon(): void {
    if (this.#depth > IN_METADATA) return;
    const key = this.#text.slice(this.#start, Math.min(this.#end, this.#start + 64));
    this.#keys[this.#depth] = key;
    if (this.#depth === IN_METADATA && key === "deletionTimestamp" && this.#inMetadata()) this.scan.deleting = true;
  }

  #inMetadata(): boolean {
    return this.#objectAt >= 0 && this.#keys[IN_OBJECT] === "metadata";
  }

  #open(at: number): void {
    this.#nodes += 1;
    if (this.#depth === IN_REQUEST && this.#keys[IN_REVIEW] === "request" && this.#keys[IN_REQUEST] === "object") {
      this.#objectAt = at;
      this.#nodes = 1;
      this.#deepest = 0;
    }
    this.#depth += 1;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
  }

  #close(at: number): void {
    if (this.#depth === IN_REQUEST) this.#takeValue();
    this.#depth -= 1;
    if (this.#depth !== IN_REQUEST || this.#objectAt < 0) return;
    const [characters, depth] = [at + 1 - this.#objectAt, this.#deepest - IN_REQUEST];
    this.scan.object = { characters, nodes: this.#nodes, depth };
    this.#objectAt = -1;
    // The next value is not `object` until another key says so.
    this.#keys[IN_REQUEST] = "";
  }
}

/**
 * Reads the size of a review's object and whom to answer, in one pass over the text. Never throws; a text that is not JSON
 * gives whatever was found.
 */
export const scanReview = (text: string): ReviewScan => new Scanner(text).run();
