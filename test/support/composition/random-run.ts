import { apiPath } from "../../../src/cluster/api-path.ts";
import { ApiError, hasStatus } from "../../../src/cluster/client/api-error.ts";
import { reportPause } from "../../../src/composition/reconcile/report-pause.ts";
import { powerOf } from "../../../src/composition/report/run-values.ts";
import { untilNext } from "../../../src/composition/run/end/end-run.ts";
import type { FollowedRun } from "../../../src/composition/run/follow/follow-run.ts";
import { noteReady } from "../../../src/composition/run/follow/note-ready.ts";
import { noteRefusal } from "../../../src/composition/run/follow/note-refusal.ts";
import { noteUse } from "../../../src/composition/run/follow/note-use.ts";
import { seenMachine } from "../../../src/composition/run/machine/machine-now.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { formatTime } from "../../../src/model/time.ts";
import { cnrm, revisionOf, RunWithMachine, type RunWithMachineOptions, START, STOCKOUT } from "./run-with-machine.ts";

/** From one time to another, in seconds since START. */
export type Span = readonly [from: number, to: number];

/** What disturbs a run. */
export interface Faults {
  /** When no controller runs. */
  outages: readonly Span[];
  /** When its user pauses the object. */
  holds: readonly Span[];
  /** When the provider has no machine to start. */
  shortages: readonly Span[];
  /** When the operator of the provider does nothing. */
  silences: readonly Span[];
  /** When no release can be installed or upgraded. */
  failures: readonly Span[];
  /** When the provider takes back a machine that is on. */
  evictions: readonly number[];
  /** When a controller is killed, and another one follows immediately. */
  kills: readonly number[];
  /** From when on the next change of the record is refused, because something else changed it. */
  conflicts: readonly number[];
  /** Seconds that the provider takes to create a machine; omitted for as long as to start one. */
  creation?: number;
}

/** What disturbs no run. */
export const NO_FAULTS: Faults = {
  outages: [],
  holds: [],
  shortages: [],
  silences: [],
  failures: [],
  evictions: [],
  kills: [],
  conflicts: [],
};

type Power = "RUNNING" | "TERMINATED";

/** A machine at the provider, and what becomes of it later. */
interface Machine {
  state: Power;
  turns: { at: number; to: Power } | null;
}

const isIn = (spans: readonly Span[], seconds: number): boolean =>
  spans.some(([from, to]) => from <= seconds && seconds < to);

/** When somebody who sees nothing in these times sees what happens at `seconds`. */
export function seenAt(blind: readonly Span[], seconds: number): number {
  const later = blind.filter(([from, to]) => from <= seconds && seconds < to).map(([, to]) => to);
  return later.length === 0 ? seconds : seenAt(blind, Math.max(...later));
}

/** Seconds that a machine takes to be there, and to be off. */
const [BOOT, STOP] = [150, 60];
/** The time to boot that the catalog has for Google Cloud. */
const CATALOG_BOOT = 90;
const RESYNC = 600;
export const STEP = 30;

const nextIn = (run: FollowedRun): number => Math.min(RESYNC, (untilNext(run) ?? Infinity) / 1000);

/**
 * A run at a provider that keeps a machine as its resource asks, with the faults that were given: a machine is started, stopped, evicted and
 * deleted, and what happened is known beside what the controller thinks.
 */
export class RandomRun extends RunWithMachine {
  /** When a machine was on, in seconds since START; the last one may have no end yet. */
  readonly on: [from: number, to: number][] = [];
  readonly #faults: Faults;
  readonly #conflicts: number[];
  /** What the release asks for; null before it is installed, and after it was removed. */
  #wanted: "on" | "off" | "as-is" | "deleted" | null = null;
  #machine: Machine | null = null;
  #creating: number | null = null;
  #error = false;
  /** What the operator last said of its resource, and when that was created; null where it said nothing yet. */
  #said: { status: "RUNNING" | "TERMINATED" | null; error: boolean } | null = null;
  #createdAt = 0;
  #saidAt = 0;
  #seconds = 0;
  #lookAt = 0;
  #seen = "";
  last: FollowedRun | null = null;

  constructor(options: RunWithMachineOptions, faults: Partial<Faults>) {
    super({ ...options, record: { lateAfter: 2 * CATALOG_BOOT, ...options.record } });
    this.#faults = { ...NO_FAULTS, ...faults };
    this.#conflicts = [...this.#faults.conflicts];
    const { runs } = this.context;
    const change = runs.change.bind(runs);
    runs.change = (record) => {
      if ((this.#conflicts[0] ?? Infinity) > this.#seconds) return change(record);
      this.#conflicts.shift();
      return Promise.reject(new ApiError(409, { action: "PUT", detail: "" }));
    };
  }

  get isOn(): boolean {
    return this.#machine?.state === "RUNNING";
  }

  #turn(state: "RUNNING" | "TERMINATED"): void {
    const wasOn = this.isOn;
    this.#machine = { state, turns: null };
    const last = this.on.at(-1);
    if (state === "RUNNING" && !wasOn) this.on.push([this.#seconds, Infinity]);
    if (state === "TERMINATED" && wasOn && last !== undefined) last[1] = this.#seconds;
  }

  /** What the provider does by now. */
  #provide(): void {
    if (this.#machine?.turns != null && this.#machine.turns.at <= this.#seconds) this.#turn(this.#machine.turns.to);
    if (this.#creating !== null && this.#creating <= this.#seconds) {
      this.#creating = null;
      this.#turn("RUNNING");
    }
    const isEvicted = this.#faults.evictions.some((at) => at <= this.#seconds && this.#seconds < at + STEP);
    if (isEvicted && this.isOn) this.#turn("TERMINATED");
  }

  /** What the operator does by now. */
  #operate(): void {
    if (isIn(this.#faults.silences, this.#seconds)) return;
    this.#error = false;
    this.#act(isIn(this.#faults.shortages, this.#seconds));
    const said = { status: this.#machine?.state ?? null, error: this.#error };
    if (said.status !== this.#said?.status || said.error !== this.#said.error) this.#saidAt = this.#seconds;
    this.#said = said;
  }

  #act(lacks: boolean): void {
    if (this.#wanted === null || this.#wanted === "deleted") this.#remove();
    else if (this.#machine === null) this.#create(lacks);
    else if (this.#wanted === "off" && this.isOn)
      this.#machine.turns ??= { at: this.#seconds + STOP, to: "TERMINATED" };
    else if (this.#wanted === "on" && !this.isOn) this.#start(this.#machine, lacks);
  }

  #start(machine: Machine, lacks: boolean): void {
    if (machine.turns !== null) return;
    if (lacks) this.#error = true;
    else machine.turns = { at: this.#seconds + BOOT, to: "RUNNING" };
  }

  #remove(): void {
    if (this.#machine !== null) this.#turn("TERMINATED");
    [this.#machine, this.#creating] = [null, null];
  }

  #create(lacks: boolean): void {
    if (lacks) [this.#error, this.#creating] = [true, null];
    else this.#creating ??= this.#seconds + (this.#faults.creation ?? BOOT);
  }

  /** The resource of the machine as the API server has it: as its operator last saw it. */
  #resources(): Resource[] {
    if (this.#wanted === null || this.#wanted === "deleted") return [];
    const spec = this.object.spec?.["capacityType"] === "spot" ? { scheduling: { provisioningModel: "SPOT" } } : {};
    const machine = cnrm("ComputeInstance", this.#said?.error === true ? STOCKOUT : null, { spec });
    const metadata = { ...machine.metadata, creationTimestamp: formatTime(START + this.#createdAt) };
    return [{ ...machine, metadata, status: this.#statusOf(machine) }];
  }

  #statusOf({ status = {} }: Resource): Record<string, unknown> {
    if (this.#said === null) return {};
    const { status: currentStatus, error } = this.#said;
    const creating = { conditions: [{ type: "Ready", status: "False", reason: "Updating", message: "" }] };
    if (currentStatus === null) return error ? status : creating;
    return { ...status, conditions: this.#sinceSaid(status), currentStatus, instanceId: "1" };
  }

  /** The conditions as they are since what the operator last saw changed. */
  #sinceSaid({ conditions }: Record<string, unknown>): unknown[] {
    const lastTransitionTime = formatTime(START + this.#saidAt);
    return (Array.isArray(conditions) ? conditions : []).map((one: object) => ({ ...one, lastTransitionTime }));
  }

  /** Has the release ask for this. */
  #ask(wanted: "on" | "off" | "as-is" | "deleted" | null): void {
    const isThere = (one: typeof wanted): boolean => one !== null && one !== "deleted";
    if (!isThere(this.#wanted) && isThere(wanted)) [this.#said, this.#createdAt] = [null, this.#seconds];
    this.#wanted = wanted;
  }

  /** Sets annotations of the object; an empty text removes one. */
  annotate(given: Record<string, string>): void {
    const all = { ...this.object.metadata.annotations, ...given };
    const annotations = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    this.object = { ...this.object, metadata: { ...this.object.metadata, annotations } };
  }

  #setHold(): boolean {
    const isHeld = isIn(this.#faults.holds, this.#seconds);
    if (isHeld === (this.object.metadata.annotations?.["krateo.io/paused"] === "true")) return isHeld;
    const { "krateo.io/paused": _paused, ...others } = this.object.metadata.annotations ?? {};
    const annotations = isHeld ? { ...others, "krateo.io/paused": "true" } : others;
    this.object = { ...this.object, metadata: { ...this.object.metadata, annotations } };
    return isHeld;
  }

  async #hold(run: FollowedRun): Promise<number> {
    const composition = { key: "u", path: apiPath`/apis/x`, object: this.object };
    return ((await reportPause(this.context, composition, run)).requeueAfter ?? RESYNC * 1000) / 1000;
  }

  /** Upgrades the release, and notes the machine. Seconds until it is looked at again. */
  async #install(run: FollowedRun): Promise<number> {
    // A machine is stopped without helm (run/end/stop-directly.ts).
    const isFailing = run.step.do !== "stop" && isIn(this.#faults.failures, this.#seconds);
    if (isFailing) return Math.min(120, nextIn(run));
    this.#ask(powerOf(run).powerState ?? "as-is");
    this.live = this.#resources();
    this.revisions = [revisionOf("deployed", this.live)];
    this.context.releases.set("u", { objects: this.live.map((_, at) => at) } as never);
    const seen = seenMachine(this.live, this.ready());
    const hasBegun = await noteRefusal(this.context, this.object, run, seen);
    const isReady = await noteReady(this.context, this.object, run, seen);
    await noteUse(this.context, run, seen);
    return hasBegun || isReady ? 0 : nextIn(run);
  }

  async #reconcile(isHeld: boolean): Promise<number> {
    this.now = START + this.#seconds;
    const run = await this.follow();
    this.last = run;
    const { do: action } = run.step;
    if (action === "remove" || action === "upgrade") this.#ask(null);
    if (!["run", "pause", "stop"].includes(action)) return nextIn(run);
    return isHeld && action !== "stop" ? this.#hold(run) : this.#install(run);
  }

  /** Seconds until the next reconcile: the next step, after a conflict. */
  async #reconcileOnce(isHeld: boolean): Promise<number> {
    try {
      return await this.#reconcile(isHeld);
    } catch (thrown) {
      if (hasStatus(thrown, 409)) return STEP;
      throw thrown;
    }
  }

  /** What a controller sees: it changes with the object, and with what the operator says. */
  #shown(): string {
    const { status, error } = this.#said ?? {};
    const annotations = Object.entries(this.object.metadata.annotations ?? {});
    const object = annotations.filter(([name]) => name !== "landfall.dev/decision").join();
    return [this.#wanted, this.#said === null, status, error, this.#saidAt, this.#createdAt, object].join("|");
  }

  /** Reconciles where the controller runs and something changed, or its time has come. */
  async #control(): Promise<void> {
    const isHeld = this.#setHold();
    if (this.#faults.kills.some((at) => at <= this.#seconds && this.#seconds < at + STEP)) {
      this.forget();
      this.#lookAt = 0;
    }
    if (isIn(this.#faults.outages, this.#seconds)) {
      this.forget();
      this.#lookAt = 0;
      return;
    }
    for (let times = 0; times < 3; times += 1) {
      const seen = this.#shown();
      if (seen === this.#seen && this.#lookAt > this.#seconds) return;
      this.#seen = seen;
      this.live = this.#resources();
      this.#lookAt = this.#seconds + (await this.#reconcileOnce(isHeld));
      this.live = this.#resources();
    }
  }

  /** Lives until then. `change` may change the object, in each step. */
  async livesUntil(until: number, change: (seconds: number) => void): Promise<void> {
    for (; this.#seconds <= until; this.#seconds += STEP) {
      change(this.#seconds);
      this.#provide();
      await this.#control();
      this.#operate();
    }
  }

  /** Hours for which a machine was on between these times. */
  hoursOn(since: number, until: number): number {
    return (
      this.on.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, until) - Math.max(from, since)), 0) / 3600
    );
  }

  /** Hours from the starts and stops of its machine within these times to their ends, when they can be seen. */
  unseen(blind: readonly Span[], since: number, until: number): number {
    const turns = this.on.flat().filter((seconds) => seconds >= since && seconds < until);
    return turns.reduce((sum, seconds) => sum + Math.min(seenAt(blind, seconds), until) - seconds, 0) / 3600;
  }

  /** The times of the run, for a message. */
  told(): string {
    const parts = this.on.map(
      ([from, to]) => `${formatTime(START + from)} to ${to === Infinity ? "now" : formatTime(START + to)}`,
    );
    return `${parts.join(", ")}; ${JSON.stringify(this.#faults)}; ${JSON.stringify(this.record)}`;
  }
}
