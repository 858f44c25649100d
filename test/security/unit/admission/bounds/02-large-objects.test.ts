import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkObject } from "../../../../../src/admission/check/check-object.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { openIntake } from "../../../../../webhook/decisions/limits/intake.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import { refuseReview } from "../../../../../webhook/review/answer-review.ts";
import { scanReview } from "../../../../../webhook/review/scan-review.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { startWebhook, type TestWebhook } from "../../../../support/services/webhook-server.ts";

let webhook: TestWebhook;
beforeAll(async () => {
  webhook = await startWebhook(await loadPolicy());
});
afterAll(() => webhook.close());

interface Response {
  uid: string;
  allowed: boolean;
  status?: { code: number; message: string };
}

const spec = (changes: object = {}): Record<string, unknown> => ({ cpu: 2, memory: 4, ...changes });
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });

async function responseTo(body: string, path = "/mutate"): Promise<Response> {
  const answer = await webhook.post(path, body);
  expect(answer.status).toBe(200);
  return (answer.body as { response: Response }).response;
}

describe("2: an object that is too large", () => {
  it.each([
    ["400,000 disks", reviewOf(vm(spec({ disks: Array.from({ length: 400_000 }, () => ({})) }))), "values"],
    ["3 MB of text", reviewOf(vm(spec({ image: "x".repeat(3_000_000) }))), "characters"],
    ["1000 levels of nesting", reviewOf(vm(spec({ global: nested(1000) }))), "levels"],
  ])("%s: is denied with HTTP 200 on both paths", async (_name, body, unit) => {
    for (const path of ["/mutate", "/validate"]) {
      const { uid, allowed, status } = await responseTo(body, path);
      expect({ uid, allowed }).toEqual({ uid: "1", allowed: false });
      expect(status?.message).toMatch(new RegExp(`\\d+ ${unit}.*ADM_OBJECT_TOO_LARGE`));
    }
  });

  it("a body of 20 MB is denied with HTTP 200 as well: another status would be a failed webhook", async () => {
    const review = JSON.parse(reviewOf(vm(spec({ image: "x".repeat(20_000_000) })), { uid: "u-20" })) as object;
    // The API server writes its own fields first.
    const { uid, allowed, status } = await responseTo(JSON.stringify(review));
    expect({ uid, allowed }).toEqual({ uid: "u-20", allowed: false });
    expect(status?.message).toContain("ADM_BODY_TOO_LARGE");
  });

  it("can be deleted: its finalizers can be taken away", async () => {
    const object = vm(spec({ disks: Array.from({ length: 10_000 }, () => ({})) }), {
      deletionTimestamp: "2026-11-20T22:00:00Z",
    });
    const { allowed } = await responseTo(reviewOf(object, { operation: "UPDATE", oldObject: object }));
    expect(allowed).toBe(true);
  });

  it("answers others at once while large ones come in", async () => {
    const large = reviewOf(vm(spec({ disks: Array.from({ length: 1_000_000 }, () => ({})) })));
    const all = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => responseTo(index % 2 === 0 ? large : reviewOf(vm(spec())))),
    );
    expect(all.map(({ allowed }) => allowed)).toEqual(all.map((_, index) => index % 2 === 1));
  });
});

describe("2: an object within the limits of the edge", () => {
  it.each([
    ["disks", { disks: Array.from({ length: 19_000 }, () => ({})) }, "spec.disks"],
    [
      "unknown fields",
      Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`f${String(index)}`, 1])),
      "spec",
    ],
    [
      "tags",
      { tags: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`T${String(index)}`, 1])) },
      "spec.tags",
    ],
    ["text", { userData: "x".repeat(1_000_000) }, "spec.userData"],
    ["cidrs", { ports: [{ port: 1, cidrs: Array.from({ length: 9000 }, () => "x") }] }, "spec.ports[0].cidrs"],
  ])("gets one error for too many %s, and not one for each", (_name, changes, field) => {
    const denials = checkObject("VmTemplate", vm(spec(changes)));
    expect(denials).toMatchObject([{ code: "ADM_SCHEMA", field }]);
    expect(denials[0]?.message).toMatch(/ has \d+ (entries|fields|characters)$/);
    expect(denials[0]?.remedy).toMatch(/^write at most \d+$/);
  });

  it("keeps the errors of each field where it is not too large", () => {
    const denials = checkObject("VmTemplate", vm({ cpu: "two", disks: [{}, { nam: 1 }] }));
    expect(denials.map(({ field }) => field)).toEqual([
      "spec.cpu",
      "spec.disks[1].nam",
      "spec.memory",
      "spec.disks[0].name",
      "spec.disks[0].sizeGiB",
      "spec.disks[1].sizeGiB",
    ]);
  });
});

describe("2: the scan of a review", () => {
  it("measures the object alone, and finds whom to answer", () => {
    const object = vm(spec({ userData: 'a "quoted" \\" {[,:' }), { labels: { request: "x", uid: "y" } });
    const scan = scanReview(reviewOf(object, { uid: "u1", oldObject: { ...object, extra: [[[[[[[]]]]]]] } }));
    const characters = JSON.stringify(object).length;
    expect(scan).toMatchObject({ uid: "u1", namespace: "demo", deleting: false });
    expect(scan.object).toEqual({ characters, nodes: 12, depth: 3 });
  });

  it.each(["", "{", "[", '"', '{"a":"\\', "null", "}}}}]]]]", '{"request":{"uid":'])("stands %j", (text) => {
    expect(scanReview(text)).toMatchObject({ uid: null, namespace: null, deleting: false });
  });

  it("takes a time that grows with the length alone", () => {
    for (const part of ['\\"', "\\\\", '"', "{", "[", ":", ","]) {
      const text = `{"request":{"uid":"1","object":{"a":"${part.repeat(1_000_000)}"}}}`;
      const began = process.threadCpuUsage().user;
      expect(scanReview(text).uid).toBe("1");
      expect(process.threadCpuUsage().user - began).toBeLessThan(1_000_000);
    }
  });
});

describe("2: refusals", () => {
  it("that end by themselves are status 429 with the seconds to wait", () => {
    for (const code of ["ADM_RESTARTING", "ADM_BUSY"] as const) {
      const { status, body } = refuseReview("1", new LandfallError(code, { scope: "of this cluster" }));
      expect(status).toBe(200);
      expect((JSON.parse(body) as { response: Response }).response).toMatchObject({
        allowed: false,
        status: { code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: expect.any(Number) as number } },
      });
    }
    const { body } = refuseReview("1", new LandfallError("ADM_TIMEOUT", { limit: 1 }));
    const { response } = JSON.parse(body) as { response: Response };
    expect(response.status).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(response.status).not.toHaveProperty("details");
  });

  it("remember an input by its content for ten minutes, whatever its uid and name", () => {
    let nowMs = 0;
    const refused = openRefusedInputs(() => nowMs);
    const body = (name: string, uid: string, changes: object = {}): string =>
      reviewOf(vm(spec(changes), { name }), { uid });
    refused.add({ path: "/mutate", body: body("a", "1") }, "demo", new LandfallError("ADM_TIMEOUT", { limit: 4000 }));
    expect(refused.check(body("b", "2"), "demo")?.code).toBe("ADM_INPUT_REFUSED");
    expect(refused.check(body("a", "1", { cpu: 3 }), "demo")).toBeNull();
    expect(refused.check(reviewOf(vm(spec(), { namespace: "other" })), "other")).toBeNull();
    nowMs = 600_001;
    expect(refused.check(body("b", "3"), "demo")).toBeNull();
  });

  it("hold a namespace after three such inputs, and no other namespace", () => {
    let nowMs = 0;
    const refused = openRefusedInputs(() => nowMs);
    for (const cpu of [1, 2, 3])
      refused.add(
        { path: "/mutate", body: reviewOf(vm(spec({ cpu }))) },
        "demo",
        new LandfallError("ADM_BUSY", { scope: "of demo" }),
      );
    expect(refused.check(reviewOf(vm(spec({ cpu: 4 }))), "demo")?.code).toBe("ADM_NAMESPACE_HELD");
    expect(refused.check(reviewOf(vm(spec({ cpu: 4 }))), "other")).toBeNull();
    nowMs = 60_001;
    expect(refused.check(reviewOf(vm(spec({ cpu: 4 }))), "demo")).toBeNull();
  });

  it("keep one namespace from using all that may wait", () => {
    const all = { requests: 4, characters: 1000 };
    const intake = openIntake({ limits: { all, namespace: { requests: 2, characters: 500 } } });
    const leave = intake.enter("a", 10);
    intake.enter("a", 10);
    expect(() => intake.enter("a", 10)).toThrow(/of namespace a/);
    intake.enter("b", 500);
    expect(() => intake.enter("b", 1)).toThrow(/of namespace b/);
    leave();
    intake.enter("a", 10);
    intake.enter("c", 500);
    expect(() => intake.enter("a", 1)).toThrow(/of this cluster/);
  });
});
