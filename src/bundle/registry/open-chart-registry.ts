import { LandfallError } from "../../errors.ts";
import type { ChartRegistry, ImageAsk } from "../../model/chart-registry.ts";
import { isObject } from "../../model/json.ts";
import { download } from "./download.ts";
import { fetchBlob } from "./fetch-blob.ts";
import { fetchImage } from "./fetch-image.ts";
import { openRegistry, type Registry } from "./open-registry.ts";
import { parseReference, type Reference, referenceTo } from "./parse-reference.ts";
import type { RegistryOptions } from "./registry-options.ts";

const TAGS_LIMIT = 1024 * 1024;

async function tagsOf(registry: Registry, reference: Reference): Promise<string[]> {
  const ref = `${reference.host}/${reference.repository}`;
  const body = await registry.get(reference, "tags/list", { limit: TAGS_LIMIT });
  try {
    const value: unknown = JSON.parse(String(body));
    const tags: unknown = isObject(value) ? value["tags"] : null;
    if (Array.isArray(tags)) return tags.filter((tag) => typeof tag === "string");
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: "its list of tags is not JSON" }, thrown);
  }
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: "it lists no tags" });
}

/** Reads of the registries and repositories that charts come from. Each has a limit of bytes and of time. */
export function openChartRegistry(options: Pick<RegistryOptions, "crane" | "ca" | "env" | "timeoutMs">): ChartRegistry {
  async function asking<T>(
    { ref, login, plainHttp, insecure }: ImageAsk,
    work: (registry: Registry, reference: Reference) => Promise<T>,
  ): Promise<T> {
    const env = login === null ? options.env : { ...options.env, DOCKER_CONFIG: login };
    const registry = await openRegistry({ ...options, env, plainHttp, insecure, likeGo: true });
    try {
      return await work(registry, parseReference(ref));
    } finally {
      await registry.close();
    }
  }

  return {
    image: (ask) =>
      asking(ask, async (registry, reference) => {
        const image = await fetchImage(registry, reference);
        if (image !== null) return image;
        const ref = referenceTo(reference, reference.version);
        throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
      }),
    layer: (ask, layer, limit) => asking(ask, (registry, reference) => fetchBlob(registry, reference, layer, limit)),
    tags: (ask) => asking(ask, tagsOf),
    download: (url, ask) => download(url, { ...options, ...ask, likeGo: true }),
  };
}
