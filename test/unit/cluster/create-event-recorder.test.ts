import { expect, it } from "vitest";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { createEventRecorder, type RecorderOptions } from "../../../src/cluster/create-event-recorder.ts";
import { isObject } from "../../../src/model/json.ts";

const OBJECT = { apiVersion: "v1", kind: "Node", metadata: { name: "one", uid: "u" } };

/** Records these messages a minute apart, and answers the names of the Events that were written. */
function record(messages: string[], options: Partial<RecorderOptions> = {}): string[] {
  const names: string[] = [];
  const create = (_path: string, body: unknown): Promise<unknown> => {
    if (isObject(body) && isObject(body["metadata"])) names.push(String(body["metadata"]["name"]));
    return Promise.resolve({});
  };
  let atMs = 0;
  const client = { create } as unknown as KubeClient;
  const write = createEventRecorder(client, { component: "test", nowMs: () => (atMs += 60_000), ...options });
  for (const message of messages) write(OBJECT, { type: "Normal", reason: "Changed", message });
  return names;
}

it("does not repeat a text within 10 minutes", () => {
  expect(record(["a", "b", "a", "b", "a"])).toHaveLength(2);
  const twelve = [...Array<string>(12).fill("a")];
  expect(record(twelve)).toHaveLength(2);
});

it("writes every Event without a quiet time, each with its own name", () => {
  const names = record(["a", "b", "a", "b", "a"], { quietMs: 0 });
  expect(names).toHaveLength(5);
  expect(new Set(names).size).toBe(5);
});

it("reports a failure, and writes the text again the next time", async () => {
  const failures: unknown[] = [];
  let calls = 0;
  const create = (): Promise<unknown> => Promise.reject(new Error(`refused ${++calls}`));
  const write = createEventRecorder({ create } as unknown as KubeClient, {
    ...{ component: "test", nowMs: () => 0, onFailure: (thrown: unknown) => void failures.push(String(thrown)) },
  });
  for (let round = 0; round < 2; round++) {
    write(OBJECT, { type: "Warning", reason: "Failed", message: "the same" });
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(failures).toEqual(["Error: refused 1", "Error: refused 2"]);
});
