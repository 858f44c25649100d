import type { Choice } from "./select.tsx";
import { STATE_WORDS } from "./state-mark.tsx";

/** The filters of objects, with "any" first. */
export const STATE_CHOICES: readonly Choice[] = [
  { value: "", text: "Any state" },
  ...Object.entries(STATE_WORDS).map(([value, { word }]) => ({ value, text: word })),
];
export const KIND_CHOICES: readonly Choice[] = [
  { value: "", text: "Both kinds" },
  { value: "VmTemplate", text: "VmTemplate" },
  { value: "KaasCluster", text: "KaasCluster" },
];
export const PROVIDER_CHOICES: readonly Choice[] = [
  { value: "", text: "Any provider" },
  ...["aws", "azure", "gcp", "elemento"].map((value) => ({ value, text: value })),
];
