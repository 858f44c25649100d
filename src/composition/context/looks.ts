import { sha256 } from "../../model/sha256.ts";

/** Of all machines together, so that thousands cost the provider's API and the API server no more than this. */
const LOOKS_PER_MINUTE = 60;
/** Minutes in which a namespace wanted a look for the last time that it has a share of them. */
const SHARING_MINUTES = 2;

/** The machine that an operator is asked to look at. */
export interface Looked {
  path: string;
  namespace: string;
}

/** When operators were last asked to look, in seconds since 1970. */
export class Looks {
  readonly #asked = new Map<string, number>();
  /** By the object's uid. */
  readonly #machines = new Map<string, { id: string; previousId: string | null }>();
  /** By namespace: the minute in which one was wanted last, and how many it had in this minute. */
  readonly #shares = new Map<string, { minute: number; had: number }>();
  #minute = 0;
  #inMinute = 0;

  /** Whether it is time to ask for this machine. The first time comes at a moment of its own, so that a restart asks for few. */
  isDue({ path, namespace }: Looked, everySeconds: number, nowSeconds: number): boolean {
    const last = this.#asked.get(path);
    if (last === undefined) {
      const share = Number.parseInt(sha256(path).slice(0, 8), 16) / 2 ** 32;
      this.#asked.set(path, nowSeconds - Math.floor(share * everySeconds));
      return false;
    }
    return nowSeconds - last >= everySeconds && this.hasRoom(namespace, nowSeconds);
  }

  asked({ path, namespace }: Looked, nowSeconds: number): void {
    this.#asked.set(path, nowSeconds);
    this.#inMinute += 1;
    this.#shareOf(namespace).had += 1;
  }

  /**
   * Notes the id of an object's machine. The result has the id of the machine in whose place this one was made, as this process saw it: null
   * for none. What the object's status says does not count, since others may write it.
   */
  seeMachine(uid: string, id: string): { previousId: string | null; isNews: boolean } {
    const last = this.#machines.get(uid);
    const isNews = last !== undefined && last.id !== id;
    const previousId = isNews ? last.id : (last?.previousId ?? null);
    this.#machines.set(uid, { id, previousId });
    return { previousId, isNews };
  }

  /** Forgets an object's machine: the next one is the first. */
  forgetMachine(uid: string): void {
    this.#machines.delete(uid);
  }

  /** Forgets the machines of a release that is gone. */
  forget(uid: string, paths: readonly string[]): void {
    this.forgetMachine(uid);
    for (const path of paths) this.#asked.delete(path);
  }

  /** Whether the controller may act on one more machine of the namespace in this minute. Many machines of one leave others their share. */
  hasRoom(namespace: string, nowSeconds: number): boolean {
    this.#begin(Math.floor(nowSeconds / 60));
    const share = this.#shareOf(namespace);
    share.minute = this.#minute;
    return this.#inMinute < LOOKS_PER_MINUTE && share.had < Math.ceil(LOOKS_PER_MINUTE / this.#shares.size);
  }

  #begin(minute: number): void {
    if (minute === this.#minute) return;
    [this.#minute, this.#inMinute] = [minute, 0];
    for (const [namespace, share] of this.#shares) {
      share.had = 0;
      if (minute - share.minute >= SHARING_MINUTES) this.#shares.delete(namespace);
    }
  }

  #shareOf(namespace: string): { minute: number; had: number } {
    const share = this.#shares.get(namespace) ?? { minute: this.#minute, had: 0 };
    this.#shares.set(namespace, share);
    return share;
  }
}
