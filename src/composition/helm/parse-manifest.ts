import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { LandfallError, messageOf } from "../../errors.ts";
import { hasMoreTokens } from "../../model/formats/parse-foreign-yaml.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { readManifest } from "./read-manifest.ts";

/** The manifest that the calling thread parses itself, in some hundredths of a second. The largest manifest of this project's charts has 10,000 characters. */
const SHORT = { characters: 32 * 1024, tokens: 8000 };
/** Characters of a manifest. The API server stores 1.5 MiB of an object. */
const MOST = 2 * 1024 * 1024;
/** For the thread that parses a long one; it takes a second for 300,000 characters. */
const TIMEOUT_MS = 60_000;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

const refused = (detail: string, cause?: unknown): LandfallError =>
  new LandfallError("REL_RENDER", { chart: "of the release", detail }, cause);

async function readApart(yaml: string): Promise<KubernetesObject[]> {
  const options = { workerData: yaml, resourceLimits: MEMORY, stdout: true, stderr: true };
  const worker = new Worker(new URL("manifest-thread.ts", import.meta.url), options);
  try {
    const [manifests] = (await once(worker, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) })) as [
      KubernetesObject[],
    ];
    return manifests;
  } catch (thrown) {
    const slow = thrown instanceof Error && thrown.name === "AbortError";
    throw refused(
      slow ? `its YAML takes more than ${String(TIMEOUT_MS / 1000)} s to parse` : messageOf(thrown),
      thrown,
    );
  } finally {
    await worker.terminate();
  }
}

/** The last of the long manifests: they are parsed one after the other, since each may take a quarter of a GiB. */
let last: Promise<unknown> = Promise.resolve();

/**
 * The objects in a release's YAML documents; documents that are empty or not an object are omitted. A tenant's values, and a chart, make it
 * long: a thread of its own parses what would hold up the controller. Throws REL_RENDER for more than 2 Mi characters, for YAML that takes too
 * long or too much memory, and for aliases that have no anchor or expand without a limit.
 */
export async function parseManifest(yaml: string): Promise<KubernetesObject[]> {
  if (yaml.length > MOST)
    throw refused(`it has ${String(yaml.length)} characters; at most ${String(MOST)} are allowed`);
  if (yaml.length > SHORT.characters || hasMoreTokens(yaml, SHORT.tokens)) {
    const next = last.then(() => readApart(yaml));
    last = next.catch(() => undefined);
    return next;
  }
  try {
    return readManifest(yaml);
  } catch (thrown) {
    throw refused(messageOf(thrown), thrown);
  }
}
