const GROUP = "elemento.landfall.dev";
export const API_VERSION = `${GROUP}/v1alpha1`;
export const FINALIZER = `${GROUP}/finalizer`;

/** Kind -> plural in paths. */
export const PLURALS = {
  ElementoVm: "elementovms",
  ElementoKaas: "elementokaases",
  ElementoNetwork: "elementonetworks",
  ElementoVolume: "elementovolumes",
} as const;
export type ElementoKind = keyof typeof PLURALS;

/** "true": the object can be deleted although its account is unreachable; its resources stay at Elemento. */
export const ABANDON = `${GROUP}/abandon`;

/** On Secrets that the operator writes: the uid of their object. */
export const OWNER_LABEL = `${GROUP}/owner`;
