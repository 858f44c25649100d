import { textAt } from "../fields.ts";
import type { Refusal, Resource } from "../types.ts";

/** SKUs of public images of generation 1. */
const FIRST = /^(?:canonical:0001-com-ubuntu-server-[a-z]{1,20}:[0-9_]{1,10}-lts|debian:debian-\d{1,3}:\d{1,3})$/;

/** Sizes from version 6 on boot images of generation 2 alone. */
export function generationRefusal({ spec }: Resource): Refusal | null {
  const size = textAt(spec, "hardwareProfile.vmSize") ?? "";
  const parts = ["publisher", "offer", "sku"].map(
    (part) => textAt(spec, `storageProfile.imageReference.${part}`) ?? "",
  );
  if (!FIRST.test(parts.join(":").toLowerCase()) || !/_v(?:[6-9]|\d{2})$/.test(size)) return null;
  const message =
    `The selected VM size '${size}' cannot boot Hypervisor Generation '1'. If this was a Create operation please check that the ` +
    "Hypervisor Generation of the Image matches the Hypervisor Generation of the selected VM Size.";
  return { code: "BadRequest", message, terminal: true };
}
