import type { PricedType } from "../../model/places/price-list.ts";
import type { GcpRates } from "./gcp-rates.ts";

/** The GPUs of each line of machines, in the order in which they are looked for. */
const GPU_OF: readonly (readonly [prefix: string, gpu: string])[] = [
  ["a2-ultragpu-", "a100-80gb"],
  ["a2-", "a100"],
  ["a3-megagpu-", "h100-mega"],
  ["a3-highgpu-", "h100"],
  ["g2-", "l4"],
];

/**
 * USD per hour of a machine type: Google sells vCPUs, memory and GPUs, and few types as a whole. Null if one of them has no price.
 * Local disks that come with a type are not part of it.
 */
export function gcpTypePrice(rates: GcpRates, region: string, name: string, type: PricedType): number | null {
  const whole = rates.of(region, "machine", name);
  if (whole !== null) return whole;
  const [series = ""] = name.split("-", 1);
  const [core, ram] = [rates.of(region, "core", series), rates.of(region, "ram", series)];
  const { vcpus, memoryGiB, gpus = 0 } = type;
  const model = GPU_OF.find(([prefix]) => name.startsWith(prefix))?.[1] ?? "";
  const gpu = gpus === 0 ? 0 : rates.of(region, "gpu", model);
  if (core === null || ram === null || gpu === null) return null;
  return vcpus * core + memoryGiB * ram + gpus * gpu;
}
