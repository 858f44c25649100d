import type { Provider } from "../../model/workload.ts";

export interface ResizeAbility {
  inPlace: boolean;
  /** What it means for the user. */
  detail: string;
}

/** What each provider's operator does with a new instance type on a running machine, as its CRDs and controllers have it. */
export const RESIZE: Readonly<Record<Provider, ResizeAbility>> = {
  azure: { inPlace: true, detail: "Azure restarts the machine for its new size" },
  gcp: { inPlace: true, detail: "Google Cloud stops and starts the machine for its new size" },
  aws: {
    inPlace: false,
    detail: "the AWS controller never stops an instance, and EC2 changes a type only while stopped",
  },
  elemento: { inPlace: false, detail: "Elemento has no call that changes a machine" },
};

/** Fields that no provider changes on an existing machine. */
export const FIXED_ONCE_INSTALLED = ["arch", "os", "image", "zone", "vmName"] as const;
