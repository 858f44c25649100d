import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { buildBundle } from "../../bundle/build-bundle.ts";
import { isFile } from "../../bundle/is-file.ts";
import { pushBundle } from "../../bundle/push-bundle.ts";
import { parseReference } from "../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../bundle/signature/read-key.ts";
import { signImage } from "../../bundle/signature/sign-image.ts";
import { sourcesHash } from "../../bundle/sources-hash.ts";
import type { Stage } from "../processes/launch.ts";

export interface PublishBundleInput {
  opa: string;
  crane: string;
  /** Folder of the policies. */
  source: string;
  /** Folder of the catalog. */
  catalog: string;
  /** Resolves to `host:port` when the registry answers; building need not wait for it. */
  registry: Promise<string>;
}

export interface PublishedBundle {
  /** By digest. */
  ref: string;
  /** By tag: what is pushed there later replaces it. */
  tag: string;
  /** The webhook's settings: signed by our key, asked for every two seconds. */
  settings: string;
}

const POLL_SECONDS = 2;

/** Where the local bundle is and whose signature it has to have: known before it is there. */
export const localBundle = (stage: Stage, registry: string): Pick<PublishedBundle, "tag" | "settings"> => ({
  tag: `${registry}/policies/landfall:local`,
  settings: join(stage.paths.root, "bundle-settings.yaml"),
});

/** The key that signs the local bundle: kept beside its public half, so that people can push a bundle of their own. */
async function signingKey(folder: string): Promise<KeyObject> {
  const file = join(folder, "bundle.key");
  if (await isFile(file)) return readPrivateKey(file);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await writeFile(join(folder, "bundle.pub"), publicKey.export({ type: "spki", format: "pem" }));
  return privateKey;
}

/** Builds the policy bundle, pushes it and signs it. Errors: BUNDLE_…. */
export async function publishBundle(stage: Stage, input: PublishBundleInput): Promise<PublishedBundle> {
  const { opa, crane, source, catalog } = input;
  const { path } = await buildBundle({
    opa,
    source,
    catalog,
    output: stage.paths.bundle,
    revision: await sourcesHash([source, catalog]),
  });
  const key = await signingKey(stage.paths.root);
  const { tag, settings } = localBundle(stage, await input.registry);
  const pushed = await pushBundle({ crane, file: path, ref: tag, plainHttp: true });
  await signImage({ crane, plainHttp: true }, parseReference(tag), pushed, key);
  // Where a folder is kept over a restart, what its owner changed in it stays.
  if (!(await isFile(settings))) {
    await writeFile(settings, stringify({ keys: ["bundle.pub"], poll: { seconds: POLL_SECONDS } }));
  }
  return { ref: pushed.ref, tag, settings };
}
