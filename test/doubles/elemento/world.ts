import { random } from "../../../src/simulate/random.ts";
import type { Settings } from "./settings.ts";

/** States over time: the last one that has begun applies. */
export type Timeline = readonly { at: number; state: string }[];

const GONE = "gone";

export interface Thing {
  id: string;
  name: string;
  createdAt: number;
  timeline: Timeline;
  deleteAsked: boolean;
}

export interface VmThing extends Thing {
  request: Record<string, unknown>;
  slots: number;
  volumeIds: string[];
  networkIds: string[];
  ipv4: string;
  provider: string;
}

export interface VolumeThing extends Thing {
  request: Record<string, unknown>;
  kind: "data" | "image" | "cloud-init";
  sizeGB: number;
  /** Of a cloud-init volume. */
  expectedFiles: number;
  files: Map<string, string>;
}

export interface NetworkThing extends Thing {
  request: Record<string, unknown>;
  cidr: string;
}

export interface ClusterThing extends Thing {
  request: Record<string, unknown>;
  provider: string;
  region: string | null;
}

export const KINDS = ["vms", "volumes", "networks", "clusters"] as const;
export type KindName = (typeof KINDS)[number];

export interface Counters {
  created: number;
  deleted: number;
  /** Names that were created while another resource with that name existed, one entry each time. */
  duplicates: string[];
}

/** The double's whole state. In memory, so that it survives restarts of its clients. */
export class World {
  settings: Settings;
  readonly nowMs: () => number;
  readonly draw: () => number;
  readonly vms = new Map<string, VmThing>();
  readonly volumes = new Map<string, VolumeThing>();
  readonly networks = new Map<string, NetworkThing>();
  readonly clusters = new Map<string, ClusterThing>();
  readonly counters: Record<KindName, Counters>;
  /** Requests by route and status, and faults by kind. */
  readonly requests: Record<string, number> = {};
  readonly faults: Record<string, number> = {};
  logins = 0;
  /** Valid sessions with their expiry. */
  readonly sessions = new Map<string, number>();

  constructor(settings: Settings, { seed, nowMs = Date.now }: { seed: number; nowMs?: () => number }) {
    this.settings = settings;
    this.nowMs = nowMs;
    this.draw = random(seed);
    const noCounts = (): Counters => ({ created: 0, deleted: 0, duplicates: [] });
    this.counters = { vms: noCounts(), volumes: noCounts(), networks: noCounts(), clusters: noCounts() };
  }

  stateOf({ timeline }: Thing): string {
    const nowMs = this.nowMs();
    return timeline.findLast(({ at }) => at <= nowMs)?.state ?? GONE;
  }

  /** All resources that are not deleted. */
  alive<T extends Thing>(things: ReadonlyMap<string, T>): T[] {
    return [...things.values()].filter((thing) => this.stateOf(thing) !== GONE);
  }

  /** The content of a list, without resources that are too new. */
  listed<T extends Thing>(things: ReadonlyMap<string, T>): T[] {
    return this.alive(things).filter(({ createdAt }) => createdAt + this.settings.listLagMs <= this.nowMs());
  }

  add<T extends Thing>(kind: KindName, things: Map<string, T>, thing: T): T {
    const counters = this.counters[kind];
    counters.created += 1;
    const twin = this.alive(things).some(({ name, deleteAsked }) => name === thing.name && !deleteAsked);
    if (twin) counters.duplicates.push(thing.name);
    things.set(thing.id, thing);
    return thing;
  }

  /** Begins the deletion of a resource. */
  remove(kind: KindName, thing: Thing): void {
    if (thing.deleteAsked) return;
    this.counters[kind].deleted += 1;
    thing.deleteAsked = true;
    const nowMs = this.nowMs();
    thing.timeline = [
      { at: 0, state: "deleting" },
      { at: nowMs + this.settings.deleteMs, state: GONE },
    ];
  }

  /** 32 hexadecimal digits from the seeded generator. */
  hex(): string {
    const part = () =>
      Math.floor(this.draw() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return part() + part() + part() + part();
  }

  uuid(): string {
    return this.hex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  /** States from now on: `done` after `ms`; a share of all fails halfway. */
  timeline(done: string, ms: number, brokenRate: number): Timeline {
    const broken = this.draw() < brokenRate;
    return [
      { at: 0, state: "creating" },
      { at: this.nowMs() + (broken ? ms / 2 : ms), state: broken ? "error" : done },
    ];
  }
}
