// 470: live objects of one owner that take long to decide held up the requests of all while a new bundle was compared.
import { expect, it } from "vitest";
import { askCanaries } from "../../../../../webhook/bundle-watch/ask-canaries.ts";
import type { DecisionProcess } from "../../../../../webhook/decisions/start-process.ts";
import { vm } from "../../../../support/admission.ts";

/** Asks about ten objects of each of these namespaces, whose decisions take so many ms in each process. Returns how many were asked about, and the time. */
async function ask(msOf: Record<string, number>): Promise<{ asked: Record<string, number>; ms: number }> {
  let ms = 0;
  const asked: Record<string, number> = {};
  const decider = {
    ask: (_path: string, body: string) => {
      const { request } = JSON.parse(body) as { request: { namespace: string } };
      ms += msOf[request.namespace] ?? 0;
      return Promise.resolve({ log: { allowed: true } });
    },
  } as unknown as DecisionProcess;
  const objects = Array.from({ length: 10 }, (_, at) => `vm-${String(at)}`).flatMap((name) =>
    Object.keys(msOf).map((namespace) => vm({ cpu: 2, memory: 4 }, { name, namespace })),
  );
  const questions = { objects, refused: [], smoke: [], ownerOf: (name: string) => name, omitted: new Set<string>() };
  const { denied } = await askCanaries(decider, decider, questions, () => ms);
  for (const [owner, count] of denied.owners) asked[owner] = count.asked;
  return { asked, ms };
}

it("470: the questions of an owner take a limited time, and all of the others are asked", async () => {
  const { asked, ms } = await ask({ hostile: 900, calm: 20 });
  expect(asked).toEqual({ hostile: 1, calm: 10 });
  expect(ms).toBe(2 * 900 + 10 * 2 * 20);
});

it("470: questions that take somewhat longer are all asked", async () => {
  expect((await ask({ calm: 90 })).asked).toEqual({ calm: 10 });
});
