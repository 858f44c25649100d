import type { Network, Vm, Volume } from "../api/types.ts";
import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import type { Attempts, ElementoObject, VmSpec } from "../types.ts";
import type { Moment } from "./pending.ts";

/** What Elemento showed, and what else the next step hangs on. */
export interface VmWorld extends Moment {
  readonly vms: readonly Vm[];
  readonly volumes: readonly Volume[];
  readonly networks: readonly Network[];
  /** `network/NAME` and `volume/NAME` of objects that the spec names -> Elemento's id; null while there is none. */
  readonly references: Readonly<Record<string, string | null>>;
  readonly catalog: ElementoCatalog;
}

/** The part of the world that is this object's alone. */
export interface OwnThings {
  readonly vms: readonly Vm[];
  readonly volumes: readonly Volume[];
  readonly networks: readonly Network[];
}

export interface VmStepInput {
  readonly object: ElementoObject<VmSpec>;
  readonly world: VmWorld;
  readonly own: OwnThings;
  readonly attempts: Attempts;
}
