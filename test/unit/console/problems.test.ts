import { describe, expect, it } from "vitest";
import { problemOf } from "../../../src/console/server/problem-of.ts";
import { LandfallError } from "../../../src/errors.ts";
import { isPassing, retryMs } from "../../../web/src/api/retry.ts";

describe("a failure of the console's server", () => {
  it("is one of the API server if a watch failed, so that the page tries again", () => {
    const { status, problem } = problemOf(new LandfallError("REL_WATCH", { path: "/api/v1", detail: "gone" }));
    expect([status, problem.kind, problem.code]).toEqual([503, "away", "REL_WATCH"]);
    expect(isPassing(problem.kind)).toBe(true);
  });

  it("of the session waits for the user to sign in", () => {
    const { status, problem } = problemOf(new LandfallError("CONSOLE_SESSION"));
    expect([status, problem.kind, isPassing(problem.kind)]).toEqual([401, "session", false]);
  });
});

it("a query is tried again ever later, at most 10 s apart", () => {
  expect([0, 1, 2, 3, 4, 9].map(retryMs)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
});
