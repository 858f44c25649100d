import { flag, list, type Of, oneOf, orNull, record, text } from "./schema.ts";

/** The state that a provider's operator reports. `hidden`: the user cannot read the resource; `absent`: it does not exist now. */
const RESOURCE_STATES = ["ready", "waiting", "failing", "unknown", "hidden", "absent"] as const;

const PROVIDER_CONDITION = record({
  type: text,
  status: text,
  reason: text,
  message: text,
  since: text,
  /** Whether it says that something is wrong. */
  isBad: flag,
});
export type ProviderCondition = Of<typeof PROVIDER_CONDITION>;

/** A resource that the chart made, with the conditions of its provider's operator. */
const RESOURCE = record({
  /** `resource/namespace/name`: unique among the resources of an object. */
  id: text,
  apiVersion: text,
  resource: text,
  /** Its kind; the name of the resource if it could not be read. */
  kind: text,
  name: text,
  namespace: text,
  state: oneOf(RESOURCE_STATES),
  conditions: list(PROVIDER_CONDITION),
  /** The ids of the resources that its spec refers to. */
  needs: list(text),
  /** The provider's own id of it; null if its operator reports none. */
  providerId: orNull(text),
});
export type ManagedResource = Of<typeof RESOURCE>;

export const RESOURCES = record({
  resources: list(RESOURCE),
  /** Whether there are more than are read. */
  isCut: flag,
});
export type Resources = Of<typeof RESOURCES>;
