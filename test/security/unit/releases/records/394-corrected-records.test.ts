import { expect, it, vi } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { openRecords } from "../../../../../src/composition/record/open-records.ts";

it("394: which records have the right sizes is remembered for an hour, of any number of objects that users make", async () => {
  vi.useFakeTimers();
  try {
    let asked = 0;
    const get = (): Promise<{ items: never[] }> => {
      asked += 1;
      return Promise.resolve({ items: [] });
    };
    const client = { get } as unknown as KubeClient;
    const records = openRecords({ client, log: {} as never, systemNamespace: "landfall-system", keys: null });
    await records.correct("demo", "u1");
    vi.advanceTimersByTime(3_599_000);
    await records.correct("demo", "u1");
    expect(asked).toBe(1);
    vi.advanceTimersByTime(2000);
    await records.correct("demo", "u1");
    expect(asked).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
