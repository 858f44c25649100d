import { type ApiPath, below } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import type { Resource } from "../types.ts";

/** helm's Secret of one revision. */
export interface HelmSecret {
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  type?: string;
  data?: Record<string, string>;
}

async function put(client: KubeClient, path: ApiPath, secret: HelmSecret): Promise<Resource | null> {
  try {
    return await client.replace<Resource>(path, secret);
  } catch (thrown) {
    // Absent, or made by someone else with another type or as immutable.
    if (hasStatus(thrown, 404) || hasStatus(thrown, 422)) return null;
    throw thrown;
  }
}

/** Null if there is one already. */
async function make(client: KubeClient, collection: ApiPath, secret: HelmSecret): Promise<Resource | null> {
  try {
    return await client.create<Resource>(collection, secret);
  } catch (thrown) {
    if (hasStatus(thrown, 409)) return null;
    throw thrown;
  }
}

/**
 * Writes the copy of a revision into the release's namespace, whatever is there under its name. `helm list` and Krateo read
 * these copies; this controller never does. `isNew`: probably nothing is there. Returns the copy's resource version.
 */
export async function writeCopy(
  client: KubeClient,
  namespace: string,
  given: HelmSecret,
  isNew = false,
): Promise<string> {
  const { name, labels = {} } = given.metadata;
  const secret = {
    ...{ apiVersion: "v1", kind: "Secret", type: "helm.sh/release.v1" },
    ...{ metadata: { name, namespace, labels }, data: given.data ?? {} },
  };
  const path = below(secretsPath(namespace), name);
  const made = isNew ? await make(client, secretsPath(namespace), secret) : null;
  let written = made ?? (await put(client, path, secret));
  if (written === null) {
    await client.remove(path);
    written = await client.create<Resource>(secretsPath(namespace), secret);
  }
  return written.metadata.resourceVersion ?? "";
}
