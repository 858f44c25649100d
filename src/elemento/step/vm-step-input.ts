import type { Network, Vm, Volume } from "../api/types.ts";
import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import type { Attempts, ElementoObject, VmSpec } from "../types.ts";
import type { Moment } from "./pending.ts";

/** Elemento's lists, and other inputs of the next step. */
export interface VmWorld extends Moment {
  readonly vms: readonly Vm[];
  readonly volumes: readonly Volume[];
  readonly networks: readonly Network[];
  /** `network/NAME` and `volume/NAME` of referenced objects -> Elemento's id; null while there is none. */
  readonly references: Readonly<Record<string, string | null>>;
  readonly catalog: ElementoCatalog;
  /** The range in which a machine without network.cidr gets its own network; the usual range if it is omitted. */
  readonly ranges?: readonly string[] | undefined;
}

/** The resources that belong to this object alone. */
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
