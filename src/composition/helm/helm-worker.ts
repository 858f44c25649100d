import type { Logger } from "pino";
import type { Access, HelmResult, HelmWorker, ReleaseCall } from "./calls.ts";
import { type WorkerProgram, WorkerProcess } from "./worker-process.ts";

export interface HelmWorkerOptions {
  program: WorkerProgram;
  log: Pick<Logger, "warn" | "info">;
  /** Ms of a clock that never goes back. */
  nowMs: () => number;
  limits?: Partial<WorkerLimits>;
}

export interface WorkerLimits {
  /** Calls after which a new process takes over. */
  calls: number;
  /** Bytes of memory at which one does. */
  memory: number;
  /** Ms without a call after which the process ends. */
  idleMs: number;
  /** Ms after a call's timeout in which the worker may still answer. */
  graceMs: number;
}

const LIMITS: WorkerLimits = { calls: 1000, memory: 240 * 1024 * 1024, idleMs: 120_000, graceMs: 30_000 };
/** Ms for which the namespaces of calls whose worker died use the program: one of them may have a chart or values that kill it. */
const APART_MS = 600_000;
/** Ms for which all use the program after the worker could not be started, or died MOST_DEATHS times within APART_MS. */
const OFF_MS = 60_000;
const MOST_DEATHS = 3;

/** A process, and what is known of it here. */
interface Running {
  process: WorkerProcess;
  calls: number;
  /** Namespaces of the calls underway. */
  namespaces: Map<string, number>;
  /** It has taken calls. */
  isReady: boolean;
}

const resultOf = (code: number, stderr: string): HelmResult => ({ code, by: "worker", stdout: "", stderr });

function count({ namespaces }: Running, namespace: string, by: 1 | -1): void {
  const calls = (namespaces.get(namespace) ?? 0) + by;
  if (calls > 0) namespaces.set(namespace, calls);
  else namespaces.delete(namespace);
}

class SupervisedWorker implements HelmWorker {
  readonly #options: HelmWorkerOptions;
  readonly #limits: WorkerLimits;
  /** The process that takes calls. Others may end theirs. */
  #current: Running | null = null;
  readonly #ending = new Set<Promise<void>>();
  readonly #apart = new Map<string, number>();
  #deaths: number[] = [];
  #offUntil = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: HelmWorkerOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  async perform(call: ReleaseCall, access: Access, timeoutMs: number): Promise<HelmResult | null> {
    if (this.#isApart(call.namespace)) return null;
    const running = this.#current ?? this.#start();
    clearTimeout(this.#idle);
    running.calls += 1;
    count(running, call.namespace, 1);
    try {
      running.isReady = await running.process.ready;
      return running.isReady ? await this.#ask(running, call, { access, timeoutMs }) : null;
    } finally {
      count(running, call.namespace, -1);
      this.#recycle(running);
    }
  }

  async #ask(
    running: Running,
    call: ReleaseCall,
    { access, timeoutMs }: { access: Access; timeoutMs: number },
  ): Promise<HelmResult> {
    const [giveUpMs, began] = [timeoutMs + this.#limits.graceMs, this.#options.nowMs()];
    const answered = await running.process.call(call, access, { timeoutMs, giveUpMs });
    if (answered === null) return resultOf(-1, await this.#lost(running, giveUpMs));
    if (answered.error === null) return resultOf(0, "");
    // Helm continues in the background after its deadline: nothing of that process is used again. Its text does not count: users write parts of it.
    if (this.#options.nowMs() - began >= timeoutMs) this.#retire(running);
    return resultOf(1, `Error: ${answered.error}\n`);
  }

  reset(): void {
    this.#current?.process.reset();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#current !== null) this.#retire(this.#current);
    await Promise.all(this.#ending);
  }

  #isApart(namespace: string): boolean {
    const now = this.#options.nowMs();
    if (now < this.#offUntil) return true;
    const until = this.#apart.get(namespace) ?? 0;
    if (now < until) return true;
    this.#apart.delete(namespace);
    return false;
  }

  #start(): Running {
    const running: Running = {
      process: new WorkerProcess(this.#options.program),
      calls: 0,
      namespaces: new Map(),
      isReady: false,
    };
    this.#current = running;
    void running.process.ended.then((why) => {
      this.#sawEnd(running, why);
    });
    return running;
  }

  /** A process that ends while it takes calls was not asked to. */
  #sawEnd(running: Running, why: string): void {
    if (this.#current !== running) return;
    this.#current = null;
    const now = this.#options.nowMs();
    this.#deaths = [...this.#deaths.filter((at) => now - at < APART_MS), now];
    if (running.isReady) for (const namespace of running.namespaces.keys()) this.#apart.set(namespace, now + APART_MS);
    if (!running.isReady || this.#deaths.length >= MOST_DEATHS) this.#offUntil = now + OFF_MS;
    this.#options.log.warn(
      { why, underway: running.namespaces.size },
      "the helm worker ended; helm's program is called instead",
    );
  }

  /** Says what became of a call without an answer. One that hangs takes its process with it, after the other calls. */
  async #lost(running: Running, giveUpMs: number): Promise<string> {
    const isAlive = Symbol("alive");
    const why = await Promise.race([running.process.ended, Promise.resolve(isAlive)]);
    if (typeof why === "string") return `the helm worker ended (${why}) before it answered`;
    this.#options.log.warn({ seconds: giveUpMs / 1000 }, "the helm worker did not answer; it is ended");
    this.#retire(running);
    return `helm was ended after ${giveUpMs / 1000} s`;
  }

  /** Gives the process no more calls. It ends when those underway have ended, which each does at its deadline. */
  #retire(running: Running): void {
    if (this.#current === running) this.#current = null;
    const ended = this.#endOf(running);
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }

  async #endOf(running: Running): Promise<void> {
    while (running.namespaces.size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await running.process.end();
  }

  #recycle(running: Running): void {
    if (this.#current !== running) return;
    if (running.calls >= this.#limits.calls || running.process.memory() >= this.#limits.memory) {
      this.#retire(running);
      return;
    }
    if (running.namespaces.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#retire(running);
    }, this.#limits.idleMs).unref();
  }
}

/**
 * Opens a worker. Its process starts with the first call. It is replaced after some calls or at some memory, ends when there is nothing to
 * do, and when a call does not end. If it dies, its calls have failed with an unknown result, as if helm's program had been killed, and
 * their namespaces use the program for ten minutes.
 */
export const openHelmWorker = (options: HelmWorkerOptions): HelmWorker => new SupervisedWorker(options);
