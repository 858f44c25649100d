import { describe, expect, it } from "vitest";
import { problemOf } from "../../../src/console/server/problem-of.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { LandfallError } from "../../../src/errors.ts";
import { againMs, isPassing, retryMs } from "../../../web/src/api/retry.ts";

describe("a failure of the console's server", () => {
  it("is one of the API server if a watch failed, so that the page tries again", () => {
    const { status, problem } = problemOf(new LandfallError("REL_WATCH", { path: "/api/v1", detail: "gone" }));
    expect([status, problem.kind, problem.code]).toEqual([503, "away", "REL_WATCH"]);
    expect(isPassing(problem.kind)).toBe(true);
  });

  it.each([502, 503, 504])("is one that passes while the API server starts or stops (HTTP %i)", (answer) => {
    const { status, problem } = problemOf(new ApiError(answer, { action: "GET /apis", detail: "starting" }));
    expect([status, problem.kind, isPassing(problem.kind)]).toEqual([503, "away", true]);
  });

  it.each([
    [0, "away", /reached from where the console runs/],
    [403, "forbidden", /choose a namespace that you may read/],
    [401, "credentials", /sign in again/],
    [404, "absent", /choose it from Objects/],
  ])("says what someone at a page can do about HTTP %i, and nothing of controllers", (answer, kind, remedy) => {
    const { problem } = problemOf(new ApiError(answer, { action: "GET /apis", detail: "refused" }));
    expect(problem.kind).toBe(kind);
    expect(problem.remedy).toMatch(remedy);
    expect(problem.remedy).not.toContain("controller");
  });

  it("of the session waits for the user to sign in", () => {
    const { status, problem } = problemOf(new LandfallError("CONSOLE_SESSION"));
    expect([status, problem.kind, isPassing(problem.kind)]).toEqual([401, "session", false]);
  });
});

it("a busy cluster is asked again after the seconds that it says", () => {
  const detail = 'admission webhook "placement.landfall.dev" denied the request: too many requests wait [ADM_BUSY]';
  const busy = new ApiError(429, { action: "POST /apis", detail }, undefined, 30);
  const { status, problem } = problemOf(busy);
  expect([status, problem]).toEqual([
    429,
    {
      ...{ kind: "busy", code: "CONSOLE_AGAIN", againSeconds: 30 },
      message: "the cluster is busy: too many requests wait [ADM_BUSY]",
      remedy: "nothing to do: the page asks again in 30 s",
    },
  ]);
  expect(againMs(problem, 0)).toBe(30_000);
  expect(againMs({ kind: "away", againSeconds: null }, 1)).toBe(2000);
  expect(againMs({ kind: "forbidden", againSeconds: null }, 0)).toBe(null);
});

it("a query is tried again ever later, at most 10 s apart", () => {
  expect([0, 1, 2, 3, 4, 9].map(retryMs)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
});
