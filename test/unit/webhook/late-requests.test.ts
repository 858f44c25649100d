import { afterEach, expect, it, vi } from "vitest";
import { uptimeMs } from "../../../src/processes/uptime-ms.ts";
import { type Asked, answerRequests } from "../../../webhook/decisions/process/answer-requests.ts";

afterEach(() => vi.useRealTimers());

const asked = (untilMs: number): Asked => ({
  ...{ type: "ask", id: 1, path: "/mutate", body: "{}", quiet: true, namespace: "demo", user: "ada" },
  untilMs,
});

/** What the process that decides says to a request that must be answered by this time. */
function said(untilMs: number): unknown[] {
  const messages: { type: string }[] = [];
  const answered = { status: 200, body: "", reserved: null, claim: null, decided: null };
  const requests = answerRequests({
    ...{ answer: () => () => answered, line: () => null, consults: false, nowSeconds: () => 0 },
    ...{ say: (message: { type: string }) => messages.push(message), on: (_: Asked, work: () => unknown) => work() },
    working: { on: (_: number, work: () => unknown) => work() },
  } as unknown as Parameters<typeof answerRequests>[0]);
  requests.ask(asked(untilMs));
  return messages.map(({ type }) => type);
}

it("answers a request in time though the clock is set an hour while it waits", () => {
  const untilMs = uptimeMs() + 5000;
  vi.useFakeTimers({ toFake: ["Date"] });
  for (const hours of [1, -1]) {
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    expect(said(untilMs)).toEqual(["reply"]);
  }
});

it("decides nothing for a request that nobody waits for any more", () => {
  expect(said(uptimeMs() - 1)).toEqual(["dropped"]);
});
