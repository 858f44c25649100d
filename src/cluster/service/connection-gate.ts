import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Pieces that are parsed before other connections have their turn. */
const PIECES = 32;

/** Says how many ms a piece of this many bytes has to wait; 0: not at all. `isFirst`: a request may begin with it. */
export type WaitFor = (address: string, bytes: number, isFirst: boolean) => number;

/** Each piece costs at least as much of its address's rate as so many bytes: handing on a few takes as long. */
const LEAST_BYTES = 256;

/** How the headers of a request end, after the last byte of their last line. */
const BLANK_LINES = ["\n\n", "\n\r\n"];

/**
 * The end of the first blank line of these bytes; their length if there is none. `before` are the two bytes before them, as the line may
 * begin there.
 */
function endOfBlock(before: Buffer, bytes: Buffer): number {
  const start = Buffer.concat([before, bytes.subarray(0, 2)]);
  const endIn = (where: Buffer, line: string, from: number): number => {
    const at = where.indexOf(line, Math.max(0, from), "latin1");
    return at === -1 ? Infinity : at + line.length;
  };
  const ends = BLANK_LINES.flatMap((line) => [
    endIn(start, line, before.length - line.length + 1) - before.length,
    endIn(bytes, line, 0),
  ]);
  return Math.min(...ends, bytes.length);
}

/**
 * A connection as the HTTP parser sees it. A parser handles all requests that arrive together before anything else runs, and 16 KiB may hold
 * hundreds. The gate hands on bytes up to a blank line, where a request's headers end, then as many as its body has, and while a request is
 * answered nothing: what a client sends meanwhile stays in its own buffers.
 */
export class ConnectionGate extends Duplex {
  readonly source: Socket;
  readonly encrypted: boolean;
  /** Peers with a certificate that counts have no gate. */
  readonly authorized = false;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly #limit: WaitFor;
  readonly #underway = new Set<IncomingMessage>();
  #rest: Buffer = Buffer.alloc(0);
  /** Of `#rest`, how much is handed on next; null if it was not looked for yet. */
  #next: number | null = null;
  /** The last two bytes that were handed on, outside of bodies with a length. */
  #before: Buffer = Buffer.alloc(0);
  /** Bytes that are to come of the body of the request underway. */
  #body = 0;
  #isParsing = false;
  #isPumping = false;
  #hasEnded = false;
  #isOpen = false;
  #later: NodeJS.Timeout | null = null;

  constructor(source: Socket, waitFor: WaitFor) {
    super({ decodeStrings: false });
    this.source = source;
    this.encrypted = "encrypted" in source;
    ({ remoteAddress: this.remoteAddress, remotePort: this.remotePort } = source);
    this.#limit = waitFor;
    source.on("data", (bytes: Buffer) => {
      this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
      this.#next = null;
      this.#pump();
    });
    source.once("end", () => {
      this.#hasEnded = true;
      this.#pump();
    });
    source.on("error", (error) => this.destroy(error));
    source.once("close", () => this.destroy());
    source.on("timeout", () => this.emit("timeout"));
  }

  /** Call it once the parser listens. */
  follow(): void {
    this.on("data", () => {
      this.#isParsing = false;
      this.#pump();
    });
  }

  /** `withinMs`: for the rest of the request; it ends the connection of a peer that is not authenticated by then. */
  began(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
    this.#underway.add(request);
    this.#body = Number(request.headers["content-length"] ?? 0);
    this.#before = Buffer.alloc(0);
    const late = setTimeout(() => {
      if (!this.#isOpen && !request.complete) this.destroy();
    }, withinMs).unref();
    response.once("close", () => {
      clearTimeout(late);
      this.#underway.delete(request);
      this.#pump();
    });
  }

  /** From now on everything is handed on as it comes. */
  open(): void {
    this.#isOpen = true;
    this.#pump();
  }

  setTimeout(ms: number): this {
    this.source.setTimeout(ms);
    return this;
  }

  /** As that of a socket: ends, and destroys when all is written. */
  destroySoon(): void {
    this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  /** More is read of a request whose body has not arrived yet. */
  #isHeld(): boolean {
    return !this.#isOpen && [...this.#underway].some(({ complete }) => complete);
  }

  #wakeIn(ms: number): void {
    this.#later ??= setTimeout(() => {
      this.#later = null;
      this.#pump();
    }, ms).unref();
  }

  /** How much is handed on next. Of a body without a length each blank line ends a piece, because another request may follow it. */
  #lengthOfNext(): number {
    if (this.#isOpen) return this.#rest.length;
    this.#next ??= this.#body > 0 ? Math.min(this.#body, this.#rest.length) : endOfBlock(this.#before, this.#rest);
    return this.#next;
  }

  #waitFor(length: number): number {
    const cost = Math.max(length, LEAST_BYTES);
    return this.#isOpen ? 0 : this.#limit(this.remoteAddress ?? "", cost, this.#underway.size === 0);
  }

  /** Hands on one piece. False if nothing may be handed on now. */
  #handOn(): boolean {
    const length = this.#lengthOfNext();
    const wait = this.#waitFor(length);
    if (wait > 0) {
      this.#wakeIn(wait);
      return false;
    }
    const piece = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#next = null;
    if (this.#body === 0) this.#before = Buffer.concat([this.#before, piece.subarray(-2)]).subarray(-2);
    else this.#body -= length;
    this.#isParsing = true;
    this.push(piece);
    return true;
  }

  #pump(): void {
    if (this.#isPumping || this.#later !== null || this.destroyed || this.writableEnded) return;
    this.#isPumping = true;
    this.#handOnAll();
    this.#isPumping = false;
    if (this.#rest.length > 0) this.source.pause();
    else if (this.#hasEnded) this.push(null);
    else if (!this.#isParsing) this.source.resume();
  }

  #handOnAll(): void {
    const hasNext = (): boolean => !this.#isParsing && this.#rest.length > 0 && !this.#isHeld() && !this.destroyed;
    let pieces = 0;
    while (hasNext() && pieces < PIECES && this.#handOn()) pieces += 1;
    if (pieces === PIECES && hasNext()) this.#wakeIn(1);
  }

  /** `#pump` pushes. */
  override _read(): void {
    return;
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.source.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.source.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#later !== null) clearTimeout(this.#later);
    this.source.destroy();
    done(error);
  }
}

/** The connection itself, of a request's socket. */
export const sourceOf = (socket: Duplex): Duplex => (socket instanceof ConnectionGate ? socket.source : socket);

/** Lets a connection whose peer was authenticated send as it likes. */
export function openGate(socket: Duplex): void {
  if (socket instanceof ConnectionGate) socket.open();
}
