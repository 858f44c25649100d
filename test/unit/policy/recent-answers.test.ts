import { describe, expect, it } from "vitest";
import { policyInput } from "../../../src/admission/decide/policy-input.ts";
import { readRequest } from "../../../src/admission/check/read-request.ts";
import type { PolicyResult } from "../../../src/model/policy.ts";
import { recentAnswers } from "../../../src/policy/recent-answers.ts";
import { vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const MOST = 32;
const texts = Array.from({ length: MOST + 1 }, (_, index) => `answer ${String(index)}`);

describe("recent answers", () => {
  it("gives what was read of the same text", () => {
    const known = recentAnswers<object>();
    const read = {};
    known.set("[]", read);
    expect(known.get("[]")).toBe(read);
    expect(known.get("[ ]")).toBeUndefined();
  });

  it("forgets the oldest", () => {
    const known = recentAnswers<string>();
    for (const text of texts) known.set(text, text);
    expect(texts.map((text) => known.get(text) !== undefined)).toEqual([false, ...texts.slice(1).map(() => true)]);
  });

  it("keeps no long answer", () => {
    const known = recentAnswers<string>();
    const long = "x".repeat(16 * 1024 + 1);
    known.set(long, "read");
    expect(known.get(long)).toBeUndefined();
    known.set(long.slice(1), "read");
    expect(known.get(long.slice(1))).toBe("read");
  });

  it("reads the same answer about two objects once, and another answer again", async () => {
    const policy = await loadPolicy();
    const namespace = { name: "default", labels: {}, annotations: {} };
    const ask = (name: string, cpu: number): PolicyResult => {
      const object = { ...vm({ cpu }), metadata: { name, namespace: "default" } };
      const request = readRequest("VmTemplate", object);
      const about = { operation: "CREATE" as const, nowSeconds: 1_790_000_000, relatedWorkloads: null };
      return policy.evaluate(policyInput({ object, request, namespace, ...about }));
    };
    const [first, second, other] = [ask("first", 2), ask("second", 2), ask("other", 8)];
    expect(second).toBe(first);
    expect(other).not.toEqual(first);
    expect(other.candidates.length).toBeGreaterThan(0);
  });
});
