import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { Composition } from "../../../../src/composition/context/composition-context.ts";
import { reconsiderStarts } from "../../../../src/composition/schedule/reconsider-starts.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const START = "2026-06-01T12:00:00Z";
const NOW = Date.parse("2026-06-01T10:00:00Z") / 1000;

const held = (name: string, schedulingTime = START, annotations: Record<string, string> = {}): Composition => ({
  key: name,
  path: apiPath`/vms/${name}`,
  object: {
    apiVersion: "a/v1",
    kind: "VmTemplate",
    metadata: {
      ...{ name, namespace: "demo", resourceVersion: "7" },
      annotations: { "krateo.io/paused": "true", "landfall.dev/decision": "{}", ...annotations },
    },
    spec: { schedulingTime },
  },
});

/** One round over these objects, asked of a webhook that moves those that `answers` names. */
async function oneRound(compositions: Composition[], answers: Record<string, Resource | ApiError>) {
  const asked: [string, unknown][] = [];
  const events: string[] = [];
  const patch = (path: string, _type: string, body: unknown): Promise<unknown> => {
    asked.push([path, body]);
    const found = compositions.find((composition) => composition.path === path);
    const answer = answers[found?.key ?? ""] ?? found?.object;
    return answer instanceof ApiError ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const round = Promise.withResolvers<undefined>();
  const stop = reconsiderStarts({
    client: { patch } as unknown as KubeClient,
    list: () => {
      round.resolve(undefined);
      return compositions;
    },
    record: ({ metadata }, { reason, message }) => events.push(`${metadata.name ?? ""} ${reason}: ${message}`),
    ...{ log: pino({ level: "silent" }), nowSeconds: () => NOW, everySeconds: 0.01, random: () => 0.5 },
  });
  onTestFinished(stop);
  await round.promise;
  await sleep(2);
  await stop();
  return { asked: asked.slice(0, compositions.length), events };
}

function moved(composition: Composition, decision: object): Resource {
  const { object } = composition;
  const annotations = { ...object.metadata.annotations, "landfall.dev/decision": JSON.stringify(decision) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

it("sends the command for waiting objects only, in the version that was read", async () => {
  const runs = held("runs");
  delete runs.object.metadata.annotations?.["krateo.io/paused"];
  const soon = held("soon", "2026-06-01T10:00:30Z");
  const undecided = held("undecided");
  delete undecided.object.metadata.annotations?.["landfall.dev/decision"];
  const { asked, events } = await oneRound([runs, soon, undecided, held("waits")], {});
  const metadata = { resourceVersion: "7", annotations: { "landfall.dev/reevaluate": "if-better" } };
  expect(asked[0]).toEqual(["/vms/waits", { metadata }]);
  expect(new Set(asked.map(([path]) => path))).toEqual(new Set(["/vms/waits"]));
  expect(events).toEqual([]);
});

it("reports a move as an Event, and continues after a failure", async () => {
  const place = "gcp/europe-west3";
  const [from, to] = [
    { place, start: START },
    { place, start: "2026-06-01T15:00:00Z" },
  ];
  const moves = [{ at: START, from, to, gain: 0.1234, why: "forecast" }];
  const [gone, failed, b, c] = [held("gone"), held("failed"), held("b"), held("c")];
  const { events } = await oneRound([gone, failed, b, c], {
    gone: new ApiError(404, { action: "PATCH", detail: "gone" }),
    failed: new ApiError(500, { action: "PATCH", detail: "the webhook is away" }),
    b: moved(b, { moves }),
    c: moved(c, { moves: [{ ...moves[0], gain: null, why: "POL_PROVIDER" }] }),
  });
  expect(events.slice(0, 2)).toEqual([
    `b Moved: from ${place} at ${START} to ${place} at 2026-06-01T15:00:00Z, 12.3 % less CO2e (forecast)`,
    `c Moved: from ${place} at ${START} to ${place} at 2026-06-01T15:00:00Z (POL_PROVIDER)`,
  ]);
});

it("asks about one object of each namespace after the other", async () => {
  const of = (namespace: string, name: string): Composition => {
    const composition = held(name);
    return {
      ...composition,
      object: { ...composition.object, metadata: { ...composition.object.metadata, namespace } },
    };
  };
  const crowd = ["c1", "c2", "c3"].map((name) => of("crowd", name));
  const { asked } = await oneRound([...crowd, of("a", "a1"), of("b", "b1"), of("b", "b2")], {});
  expect(asked.map(([path]) => path)).toEqual(["c1", "a1", "b1", "c2", "b2", "c3"].map((name) => `/vms/${name}`));
});
