import { setTimeout as sleep } from "node:timers/promises";
import { createGroupInformer, type GroupInformer } from "../../cluster/create-group-informer.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { discover } from "../../cluster/discover.ts";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { Resource as AnyResource } from "../../model/kubernetes.ts";
import { Engine } from "./engine.ts";
import type { EngineOptions, Resource } from "./types.ts";

/** Milliseconds between two discoveries of kinds: CRDs may be added while the simulators run. */
const DISCOVERY_MS = { first: 1_000, later: 10_000 };

/** A provider resource without the field managers, which are half of its memory. */
function slim(object: AnyResource): AnyResource {
  const { managedFields: _, ...metadata } = object.metadata as AnyResource["metadata"] & { managedFields?: unknown };
  return { ...object, metadata, spec: isObject(object.spec) ? object.spec : {} };
}

/** An informer of each group that the families simulate. */
function watchGroups(client: KubeClient, engine: Engine, { families, log }: EngineOptions): GroupInformer[] {
  const discovery = discover(client);
  return families
    .flatMap(({ groups }) => groups)
    .map((group) =>
      createGroupInformer({
        ...{ client, discovery, group, transform: slim, keepUnserved: true },
        selects: ({ kind }) => engine.simulates(group, kind),
        onChange: (watched, before, now) => {
          engine.onChange(watched, before as Resource | null, now as Resource | null);
        },
        onFailure: (path, thrown) => {
          log("watch failed", { path, detail: messageOf(thrown) });
        },
      }),
    );
}

/** Starts the simulators of the families. Returns a function that stops them. */
export function startSimulators(client: KubeClient, options: EngineOptions): () => Promise<void> {
  const { log } = options;
  const engine = new Engine(client, options);
  const groups = watchGroups(client, engine, options);
  const abort = new AbortController();

  async function discoverAll(): Promise<void> {
    while (!abort.signal.aborted) {
      const before = new Set(groups.flatMap((group) => group.kinds()));
      await Promise.all(groups.map((group) => group.refresh())).catch((thrown: unknown) => {
        log("discovery failed", { detail: messageOf(thrown) });
      });
      const kinds = groups.flatMap((group) => group.kinds());
      for (const kind of kinds.filter((one) => !before.has(one))) log("watching", { path: kind.path });
      const pause = kinds.length === 0 ? DISCOVERY_MS.first : DISCOVERY_MS.later;
      await sleep(pause, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  }

  void discoverAll();
  return async () => {
    abort.abort();
    for (const group of groups) group.stop();
    await engine.stop();
  };
}
