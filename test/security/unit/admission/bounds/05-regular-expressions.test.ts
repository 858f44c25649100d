import { describe, expect, it } from "vitest";
import { expressionProblems } from "../../../../../scripts/check/check-regular-expressions.ts";
import { superlinear } from "../../../../../scripts/check/regular-expressions.ts";
import { ALLOWED_EXPRESSIONS } from "../../../../../scripts/check/allowed-expressions.ts";
import { buildEvent } from "../../../../../src/decision-log/build-event.ts";
import { findSecrets } from "../../../../../src/decision-log/find-secrets.ts";
import { maskEvent } from "../../../../../src/decision-log/mask-event.ts";
import { decisionLines } from "../../../../../webhook/decisions/process/decision-lines.ts";
import { vm } from "../../../../support/admission.ts";

const decided = (annotation: string, spec: object = {}): Parameters<typeof buildEvent>[0] => ({
  uid: "u1",
  operation: "CREATE",
  dryRun: true,
  object: vm({ cpu: 1, memory: 1, ...spec }, { annotations: { note: annotation } }),
  namespace: { name: "demo", labels: {}, annotations: {} },
  nowSeconds: 1_795_000_000,
  decision: null,
  codes: ["ADM_SCHEMA"],
  bundle: { digest: "sha256:1", revision: "r" },
  others: [],
  milliseconds: 1,
});

/** CPU seconds of this thread. */
function secondsOf(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1e6;
}

const PARTS = [
  "eyJ-",
  "eyJaaaaaaaa.",
  "eyJ.",
  "sk-ssh",
  "ssh-rsa ",
  "-----BEGIN ",
  "-----BEGIN A-----",
  "-----END A",
  "glpat-",
  "xoxb-",
  "ghp_",
  "bearer ",
  "password ",
  "#! ",
  "#cloud-confi",
  "ecdsa-sha2-nistp1",
  " ",
  "-",
  "a",
];

describe("5: masking of the decision log", () => {
  it.each(PARTS)("takes a time that grows with the text alone for many of %j", (part) => {
    const text = part.repeat(Math.ceil(240_000 / part.length));
    // All of it at once, without the limit of length: quadratic time would be seconds to minutes.
    expect(secondsOf(() => findSecrets(text))).toBeLessThan(1);
    expect(secondsOf(() => maskEvent(buildEvent(decided(text), {}), []))).toBeLessThan(1);
  });

  it("hides a text that is too long to search", () => {
    const { input } = maskEvent(buildEvent(decided("x".repeat(40_000)), {}), []);
    expect(input["object"]).toMatchObject({ metadata: { annotations: { note: "[hidden]" } } });
  });

  it.each([
    ["a token inside a word", "x-eyJhbGciOiJI.c2VjcmV0c2Vj.c2Vj y", "x-[hidden] y"],
    ["two tokens", "eyJhbGciOiJI.aaaaaaaa.b, eyJhbGciOiJI.aaaaaaaa.", "[hidden], [hidden]"],
    ["a header alone", "eyJhbGciOiJI.aaaa.b", "eyJhbGciOiJI.aaaa.b"],
    ["keys that overlap", "password: ssh-rsa AAAAAAAAAAAAAAAAAAAA end", "[hidden] end"],
    ["two PEM texts", "-----BEGIN A-----x-----END A----- y -----BEGIN B-----z", "[hidden] y [hidden]"],
  ])("hides %s", (_name, text, masked) => {
    const { input } = maskEvent(buildEvent(decided(text), {}), []);
    expect(input["object"]).toMatchObject({ metadata: { annotations: { note: masked } } });
  });

  it("never ends the thread: an event that cannot be masked is logged without its input", () => {
    const data = { landfall: { decision_log: { erase: [] } } };
    const line = decisionLines(data, "test", {});
    const tags = {};
    Object.assign(tags, { self: tags });
    const event = JSON.parse(line(decided("", { tags }), 1) ?? "") as { input: unknown; erased: unknown };
    expect(event.input).toEqual({ request: { uid: "u1", operation: "CREATE", dryRun: true } });
    expect(event.erased).toEqual(["/input/object", "/input/namespace", "/result"]);
  });
});

describe("5: the check of regular expressions", () => {
  it.each([
    String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
    String.raw`sk-(?:ssh|ecdsa)[\w@.-]+\s+[A-Z]{16,}`,
    String.raw`-----BEGIN [A-Z ]+-----`,
    "^(a+)+$",
    "^(a|a)*$",
    String.raw`^a*a*$`,
    String.raw`\s+$`,
    "x*(?=y)",
  ])("finds %s", (source) => {
    expect(superlinear(source, "")).not.toBeNull();
  });

  it.each(["^[a-z]+$", "a{1,64}b", String.raw`^(?:\d{1,6}d)?$`, "x[^]*", "[a-z]+", "^(a|b+)$"])(
    "accepts %s",
    (source) => {
      expect(superlinear(source, "")).toBeNull();
    },
  );

  it("names file and line, looks into schemas, and misses no entry of its list that is out of use", () => {
    const used = ALLOWED_EXPRESSIONS.map(({ source }) => `/${source}/m;`).join("\n");
    const problems = expressionProblems([
      { file: "src/a.ts", text: `const a = 1;\nconst b = /a+b/.test("");\n${used}` },
      { file: "schemas/b.schema.json", text: JSON.stringify({ properties: { c: { pattern: "a+$" } } }) },
    ]);
    expect(problems).toEqual([
      expect.stringMatching(/^src\/a\.ts:2: \/a\+b\/: /),
      expect.stringMatching(/^schemas\/b\.schema\.json:1: \/a\+\$\/: /),
    ]);
    expect(expressionProblems([])).toHaveLength(ALLOWED_EXPRESSIONS.length);
  });
});
