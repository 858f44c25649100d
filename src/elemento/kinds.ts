const GROUP = "elemento.landfall.dev";
export const API_VERSION = `${GROUP}/v1alpha1`;
export const FINALIZER = `${GROUP}/finalizer`;

/** Kind -> plural, as in the paths. */
export const PLURALS = {
  ElementoVm: "elementovms",
  ElementoKaas: "elementokaases",
  ElementoNetwork: "elementonetworks",
  ElementoVolume: "elementovolumes",
} as const;
export type ElementoKind = keyof typeof PLURALS;

/** "true": the object may go although its account cannot be reached; what it has at Elemento stays there. */
export const ABANDON = `${GROUP}/abandon`;

/** On Secrets that the operator writes: the uid of the object that they belong to. */
export const OWNER_LABEL = `${GROUP}/owner`;
