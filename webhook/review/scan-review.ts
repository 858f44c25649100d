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
  parts: ReviewParts;
}

/** A value of the text, with white space. */
export interface Part extends Extent {
  start: number;
  end: number;
}

/** The first values of these names. Landfall reads nothing else of a review. */
export interface ReviewParts {
  review: Map<string, Part>;
  request: Map<string, Part>;
  /** Of `request.oldObject.metadata`. */
  oldMetadata: Map<string, Part>;
  /** Of `request.userInfo`. */
  user: Map<string, Part>;
}

const READ = {
  review: new Set(["apiVersion", "kind"]),
  request: new Set(["uid", "operation", "dryRun", "namespace", "kind", "object", "oldObject"]),
  oldMetadata: new Set(["name", "uid"]),
  user: new Set(["username"]),
} as const;

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
  #objectNodes = 0;
  #deepest = 0;
  /** Of the latest string. */
  #start = 0;
  #end = 0;
  #objectAt = -1;
  /** By their depth: parts that have begun. */
  readonly #begun: ({ of: keyof ReviewParts; key: string; start: number; nodes: number } | null)[] = [];
  readonly scan: ReviewScan = {
    uid: null,
    namespace: null,
    object: { characters: 0, nodes: 0, depth: 0 },
    deleting: false,
    parts: { review: new Map(), request: new Map(), oldMetadata: new Map(), user: new Map() },
  };

  constructor(text: string) {
    this.#text = text;
  }

  run(): ReviewScan {
    for (let at = 0; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) at = this.#string(at);
      else if (code === COMMA) this.#comma(at);
      else if (code === COLON) this.#colon(at);
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

  #comma(at: number): void {
    this.#endPart(at);
    this.#nodes += 1;
    if (this.#depth === IN_REQUEST) this.#takeValue();
  }

  #colon(at: number): void {
    if (this.#depth > IN_METADATA || !this.#isRead()) return;
    const key = this.#text.slice(this.#start, Math.min(this.#end, this.#start + 64));
    this.#keys[this.#depth] = key;
    this.#beginPart(key, at + 1);
    if (this.#depth === IN_METADATA && key === "deletionTimestamp" && this.#inMetadata()) this.scan.deleting = true;
  }

  /** Whether keys of this depth are looked at: below the request, those of the two objects. */
  #isRead(): boolean {
    if (this.#depth <= IN_REQUEST) return true;
    const key = this.#keys[IN_REQUEST];
    return key === "object" || key === "oldObject";
  }

  /** The values that are collected here. */
  #collected(): keyof ReviewParts | null {
    if (this.#depth === IN_REVIEW) return "review";
    if (this.#keys[IN_REVIEW] !== "request") return null;
    if (this.#depth === IN_REQUEST) return "request";
    if (this.#keys[IN_REQUEST] === "userInfo" && this.#depth === IN_OBJECT) return "user";
    const isOld = this.#keys[IN_REQUEST] === "oldObject" && this.#keys[IN_OBJECT] === "metadata";
    return isOld && this.#depth === IN_METADATA ? "oldMetadata" : null;
  }

  #beginPart(key: string, start: number): void {
    if (this.#depth === IN_REQUEST) this.#deepest = 0;
    const of = this.#collected();
    if (of === null || !READ[of].has(key) || this.scan.parts[of].has(key)) return;
    this.#begun[this.#depth] = { of, key, start, nodes: this.#nodes };
  }

  #endPart(end: number): void {
    const begun = this.#begun[this.#depth] ?? null;
    if (begun === null) return;
    this.#begun[this.#depth] = null;
    const { of, key, start, nodes } = begun;
    const depth = Math.max(0, this.#deepest - IN_REQUEST);
    this.scan.parts[of].set(key, { start, end, characters: end - start, nodes: this.#nodes - nodes, depth });
  }

  #inMetadata(): boolean {
    return this.#objectAt >= 0 && this.#keys[IN_OBJECT] === "metadata";
  }

  #open(at: number): void {
    this.#nodes += 1;
    if (this.#depth === IN_REQUEST && this.#keys[IN_REVIEW] === "request" && this.#keys[IN_REQUEST] === "object") {
      this.#objectAt = at;
      this.#objectNodes = this.#nodes - 1;
    }
    this.#depth += 1;
    // A value of a list has no key.
    if (this.#depth <= IN_METADATA) this.#keys[this.#depth] = "";
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
  }

  #close(at: number): void {
    if (this.#depth === IN_REQUEST) this.#takeValue();
    this.#endPart(at);
    this.#depth -= 1;
    if (this.#depth !== IN_REQUEST || this.#objectAt < 0) return;
    const [characters, depth] = [at + 1 - this.#objectAt, this.#deepest - IN_REQUEST];
    this.scan.object = { characters, nodes: this.#nodes - this.#objectNodes, depth };
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
