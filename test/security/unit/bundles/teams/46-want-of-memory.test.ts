import { expect, it } from "vitest";
import { LandfallError } from "../../../../../src/errors.ts";
import { tryBundle } from "../../../../../webhook/bundle-watch/try-bundle.ts";
import type { DecisionProcess } from "../../../../../webhook/decisions/start-process.ts";

/** The code with which a bundle is refused that decided before, and whose process ends in the self-test. */
async function codeOf(detail: string, wantedMemory: boolean): Promise<unknown> {
  const decider = {
    ready: Promise.resolve({}),
    ask: () => Promise.reject(new LandfallError("ADM_INTERNAL", { detail })),
    wantedMemory: () => wantedMemory,
  } as unknown as DecisionProcess;
  const none = () => Promise.resolve([]);
  const tried = tryBundle({
    ...{ decider, active: null, changed: { ref: "bundle", name: null }, decidedBefore: true },
    ...{ limits: { decisionMs: 50 }, canary: { share: 0.1, namespaces: 2, objects: 1 }, canaries: none },
    ...{ ownerOf: (name) => name, refused: [], omitted: new Set(), replaces: [], suspects: ["demo"] },
  });
  return tried.then(
    () => null,
    (thrown: unknown) => (thrown as LandfallError).code,
  );
}

it("46: a bundle is not excused by an error that speaks of memory, only by an end for want of it", async () => {
  expect(await codeOf("the rules say: heap, memory, SIGKILL", false)).toBe("BUNDLE_LOOPS");
  expect(await codeOf("the process has ended by SIGABRT: Reached heap limit", true)).toBe("ADM_RESTARTING");
});
