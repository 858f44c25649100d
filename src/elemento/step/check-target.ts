import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import type { Saying } from "./step.ts";

const unknown = (reason: string, message: string): Saying => ({ severity: "Error", reason, message });

/** Why Elemento cannot be used for this provider, service or image; null if it can. */
export function checkTarget(
  catalog: ElementoCatalog,
  { provider, service, image }: { provider?: string | undefined; service: "vm" | "kaas"; image?: string | undefined },
): Saying | null {
  const known = Object.entries(catalog.providers).flatMap(([name, { services }]) =>
    services.includes(service) ? [name] : [],
  );
  if (provider !== undefined && !known.includes(provider)) {
    return unknown(
      "UnknownProvider",
      `provider ${provider} is none that Elemento sells this at: use ${known.join(", ")}`,
    );
  }
  if (image !== undefined && catalog.images[image] === undefined) {
    const images = Object.keys(catalog.images).join(", ");
    return unknown("UnknownImage", `image ${image} has no address in the catalog: use ${images}, or give imageUrl`);
  }
  return null;
}
