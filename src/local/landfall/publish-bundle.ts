import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { cachedBundle } from "../../bundle/cached-bundle.ts";
import { isFile } from "../../bundle/is-file.ts";
import { pushBundle } from "../../bundle/push-bundle.ts";
import { parseReference } from "../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../bundle/signature/read-key.ts";
import { signImage } from "../../bundle/signature/sign-image.ts";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import { pinnedVersion } from "../../toolchain/resolve-tool.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";

export interface PublishBundleInput {
  opa: string;
  crane: string;
  /** Folder of the policies. */
  source: string;
  /** Folder of the catalog. */
  catalog: string;
  /** `host:port` of the registry once it is ready: the build does not wait for it. */
  registry: Promise<string>;
}

export interface PublishedBundle {
  /** By digest. */
  ref: string;
  /** By tag: a later push replaces it. */
  tag: string;
  /** The webhook's settings: trusted key, polled every two seconds. */
  settings: string;
}

const POLL_SECONDS = 2;

/** The tag of the local bundle, known before it is pushed. */
export const localBundle = (registry: string): string => `${registry}/policies/landfall:local`;

/** The key that signs the local bundle. It is kept with its public key, so that users can push bundles of their own. */
async function signingKey(folder: string): Promise<KeyObject> {
  const file = join(folder, "bundle.key");
  if (await isFile(file)) return readPrivateKey(file);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await writeFile(join(folder, "bundle.pub"), publicKey.export({ type: "spki", format: "pem" }));
  return privateKey;
}

/** Writes the settings of the local bundle, which trust its key. With --keep, the user's changes of them stay. */
export async function writeBundleSettings(stage: Stage): Promise<string> {
  await signingKey(stage.paths.root);
  const settings = join(stage.paths.root, "bundle-settings.yaml");
  if (!(await isFile(settings)))
    await writeFile(settings, stringify({ keys: ["bundle.pub"], poll: { seconds: POLL_SECONDS } }));
  return settings;
}

/** Pushes the policy bundle and signs it; builds it first unless the same sources were built before. Errors: BUNDLE_…. */
export async function publishBundle(stage: Stage, input: PublishBundleInput): Promise<PublishedBundle> {
  const { opa, crane, source, catalog } = input;
  const built = await cachedBundle({
    ...{ root: projectPath("."), source, catalog, opa: () => Promise.resolve(opa) },
    cacheDir: join(defaultCacheFolder(stage.env), "bundles"),
    opaVersion: pinnedVersion("opa", projectPath("tools")),
  });
  const file = stage.paths.bundle;
  await copyFile(built, file);
  const settings = await writeBundleSettings(stage);
  const key = await signingKey(stage.paths.root);
  const tag = localBundle(await input.registry);
  const pushed = await pushBundle({ crane, file, ref: tag, plainHttp: true });
  await signImage({ crane, plainHttp: true }, parseReference(tag), pushed, key);
  return { ref: pushed.ref, tag, settings };
}
