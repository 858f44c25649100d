import type { Logger } from "pino";
import { expect, it, vi } from "vitest";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { finishRemovals } from "../../../../../src/composition/gone/finish-removals.ts";
import type { Removal } from "../../../../../src/composition/record/open-removals.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";

const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

const removal = (namespace: string, name: string): Removal => ({
  ...{ kind: "VmTemplate", namespace, name, uid: `${namespace}-${name}`, release: `${name}-1` },
  ...{ place: "gcp/europe-west3", running: [], removed: true },
});

/** Removals whose looks never come back in one namespace; in others nothing is left. The kind of the objects is not served any more if `isServed` is false. */
function world(given: Removal[], { isServed = true, isRecorded = false } = {}) {
  const removals = memoryRemovals(...given);
  const [looks, events]: [string[], string[]] = [[], []];
  const resources = [{ kind: "VmTemplate", name: "vmtemplates", namespaced: true }];
  const context = {
    ...{ removals, log, record: (_: unknown, { message }: { message: string }) => events.push(message) },
    client: {
      get(path: string) {
        if (!path.includes("/vmtemplates/")) return Promise.resolve(null);
        looks.push(path.split("/")[5] ?? "");
        return path.includes("/crowded/") ? new Promise(() => undefined) : Promise.resolve(null);
      },
    },
    discovery: {
      group: () => Promise.resolve(isServed ? [{ apiVersion: "composition.krateo.io/v0-2-0", resources }] : []),
    },
    records: { mark: () => Promise.resolve(isRecorded ? { uid: "other-web" } : null) },
    ...{ looks: { forget: () => undefined }, managed: { release: () => undefined } },
    ...{ releases: new Map(), uninstalled: new Map(), retrying: new Map() },
  } as unknown as CompositionContext;
  return { context, removals, looks, events };
}

it("332: removals of one namespace hold up none of another one, and have a share of the looks", async () => {
  const crowd = Array.from({ length: 60 }, (_, index) => removal("crowded", `o${index}`));
  const { context, removals, looks } = world([...crowd, removal("other", "web")]);
  void finishRemovals({ context, list: () => [], log, everyMs: 5 });
  await vi.waitFor(async () => expect(await removals.of("other-web")).toBeNull(), 2000);
  expect(looks.filter((one) => one === "crowded")).toHaveLength(2);
});

it("332: a removal ends whose kind the API server no longer serves, and an Event says so", async () => {
  const { context, removals, events } = world([removal("other", "web")], { isServed: false });
  const stop = finishRemovals({ context, list: () => [], log, everyMs: 5 });
  await vi.waitFor(async () => expect(await removals.of("other-web")).toBeNull(), 2000);
  await stop();
  expect(events).toEqual(["nothing is left of release web-1; the API server no longer serves the kind of its object"]);
});

it("332: a removal stays while the kind is not served and its release is recorded", async () => {
  const given = removal("other", "web");
  const { context, removals } = world([given], { isServed: false, isRecorded: true });
  const group = vi.spyOn(context.discovery, "group");
  const stop = finishRemovals({ context, list: () => [], log, everyMs: 5 });
  await vi.waitFor(() => expect(group.mock.calls.length).toBeGreaterThan(1), 2000);
  await stop();
  expect(await removals.of("other-web")).toEqual(given);
});
