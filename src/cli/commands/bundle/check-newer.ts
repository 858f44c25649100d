import { pullLayer } from "../../../bundle/pull-bundle.ts";
import { fetchImage } from "../../../bundle/registry/fetch-image.ts";
import { openRegistry } from "../../../bundle/registry/open-registry.ts";
import { parseReference } from "../../../bundle/registry/parse-reference.ts";
import type { RegistryOptions } from "../../../bundle/registry/registry-options.ts";
import { LandfallError, lineOf } from "../../../errors.ts";
import { readRelease } from "../../../model/bundle-format/bundle-release.ts";
import { sha256Digest } from "../../../model/sha256.ts";
import { namesVersion } from "../../../model/text/image-version.ts";
import type { Cli } from "../../cli.ts";

interface Current {
  digest: string;
  version: number | null;
}

async function readCurrent(options: RegistryOptions, ref: string): Promise<Current | null> {
  const reference = parseReference(ref);
  const registry = await openRegistry(options);
  try {
    const image = await fetchImage(registry, reference, { optional: true });
    if (image === null) return null;
    const { digest, bytes } = await pullLayer(registry, reference, image);
    return { digest, version: readRelease(bytes, ref).version };
  } finally {
    await registry.close();
  }
}

/**
 * Webhooks that used the bundle at the tag refuse one without a higher version, and their new replicas then have none. What cannot be
 * read there is noted, and does not prevent its replacement. Throws BUNDLE_NOT_NEWER.
 */
export async function checkNewer(cli: Cli, registry: RegistryOptions, ref: string, bytes: Uint8Array): Promise<void> {
  if (!namesVersion(ref)) return;
  const current = await readCurrent(registry, ref).catch((thrown: unknown) => {
    cli.note(`landfall: the version of the bundle at ${ref} is not known: ${lineOf(thrown)}\n`);
    return null;
  });
  if (current === null || current.version === null || current.digest === sha256Digest(bytes)) return;
  const { version } = readRelease(bytes, ref);
  if (version !== null && version > current.version) return;
  const params = { ref, highest: current.version, next: current.version + 1 };
  throw new LandfallError("BUNDLE_NOT_NEWER", { ...params, version: version ?? "one without a version" });
}
