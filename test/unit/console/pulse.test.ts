import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../../src/cluster/client/create-client.ts";
import { readVerdicts } from "../../../src/console/objects/read-verdicts.ts";
import { createPulse } from "../../../src/console/server/pulse.ts";
import { testConsole, type TestConsole } from "../../support/console/console-app.ts";

type State = "answers" | "refuses" | "hangs";

/** An API server that answers, refuses or hangs, as `state` says. */
function server(): { client: KubeClient; be: (state: State) => void } {
  let state: State = "answers";
  const get = async (path: string, { signal }: ReadOptions = {}): Promise<unknown> => {
    if (state === "answers") return Promise.resolve({ gitVersion: "v1", items: [], metadata: {} });
    if (state === "refuses") throw new ApiError(403, { action: path, detail: "refused" });
    return new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        reject(new ApiError(0, { action: path, detail: String(signal.reason) }));
      });
    });
  };
  return { client: { get } as unknown as KubeClient, be: (next) => void (state = next) };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 200; tries += 1) await sleep(10);
}

describe("the pulse of the API server", () => {
  it("says that it hangs, and that it answers again; a refusal is an answer", async () => {
    const { client, be } = server();
    const heard: (string | null)[] = [];
    const stop = createPulse(client, { every: 10, most: 30 }).listen((away) => heard.push(away));
    await sleep(50);
    be("refuses");
    await sleep(50);
    expect(heard).toEqual([]);
    be("hangs");
    await until(() => heard.length === 1);
    expect(heard).toEqual([expect.stringContaining("did not answer within")]);
    be("answers");
    await until(() => heard.length === 2);
    expect(heard[1]).toBeNull();
    stop();
    be("hangs");
    await sleep(80);
    expect(heard).toHaveLength(2);
  });
});

describe("a page that comes back while the API server is asked", () => {
  it("does not ask a second time", async () => {
    let asked = 0;
    const answers: (() => void)[] = [];
    const get = (): Promise<unknown> => {
      asked += 1;
      return new Promise((resolve) => answers.push(() => resolve({})));
    };
    const pulse = createPulse({ get } as unknown as KubeClient, { every: 5, most: 10_000 });
    pulse.listen(() => undefined)();
    const stop = pulse.listen(() => undefined);
    expect(asked).toBe(1);
    answers.shift()?.();
    await until(() => asked > 1);
    expect([asked, answers.length]).toEqual([2, 1]);
    stop();
  });
});

describe("the verdicts of an API server that hangs", () => {
  it("hold up no page: the last known ones are shown", async () => {
    const { client, be } = server();
    be("hangs");
    const began = performance.now();
    expect(await readVerdicts(client)(null)).toBeNull();
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe("the stream of changes", () => {
  let running: TestConsole | undefined;
  afterEach(() => running?.app.close());

  it("is open while the first list is awaited, and says that nothing answers", async () => {
    const { client, be } = server();
    be("hangs");
    running = await testConsole(client);
    const headers = await running.signIn();
    const answer = await running.app.inject({ url: "/api/changes", headers, payloadAsStream: true });
    const lines: string[] = [];
    for await (const chunk of answer.stream()) {
      lines.push(...String(chunk).trim().split("\n"));
      if (lines.some((line) => line.includes("away"))) break;
    }
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["alive", "away"]);
  }, 15_000);
});
