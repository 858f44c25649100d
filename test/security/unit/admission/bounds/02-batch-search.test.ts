import { closeSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { NeedsBatch } from "../../../../../src/admission/types.ts";
import { batchRequests } from "../../../../../webhook/decisions/process/batch-requests.ts";
import { readProgress, SEVERAL, writeProgress } from "../../../../../src/policy/process/progress.ts";
import type { AnsweredReply } from "../../../../../webhook/decisions/process/make-answers.ts";

it("2: the search for a batch is watched, and under the name of none of its requests", () => {
  const path = join(tmpdir(), `landfall-batch-search-${String(process.pid)}`);
  const file = openSync(path, "w+");
  rmSync(path);
  const progress = writeProgress(file);
  const present = (): number | undefined => readProgress(file).request?.id;
  const seen: (number | undefined)[] = [];
  // The search reads its items, which say at that moment what is said to be worked on.
  const item = new Proxy({} as NeedsBatch["item"], {
    get: () => {
      seen.push(present());
      throw new Error("read");
    },
  });
  const finished: (number | undefined)[] = [];
  const ask = batchRequests<number>({
    nowSeconds: () => 0,
    begin: () => ({ state: "needs batch", item, waitMs: 60_000 }) as unknown as NeedsBatch,
    finish: (id) =>
      progress.on(id, () => {
        finished.push(present());
        return {} as AnsweredReply;
      }),
    reply: () => undefined,
    search: (work) => progress.on(SEVERAL, work),
  });
  const ids = Array.from({ length: 16 }, (_, index) => index);
  for (const id of ids) progress.on(id, () => ask(id));
  expect(seen).not.toEqual([]);
  expect(new Set(seen)).toEqual(new Set([SEVERAL]));
  expect(finished).toEqual(ids);
  expect(present()).toBeUndefined();
  closeSync(file);
});
