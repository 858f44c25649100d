import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { compactDecision } from "../../../src/model/decision-annotation/compact-decision.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import type { Decision } from "../../../src/model/decision.ts";
import { parseTime } from "../../../src/model/time.ts";
import { loadBundles, type LoadedBundles, type OtherTarball } from "../../../src/policy/load-bundles.ts";
import { vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import { carbonImage, dataImage, SECURITY, teamBundle } from "../../support/bundles/other-bundles.ts";
import { changedBundle } from "../../support/bundles/watched-bundle.ts";

const NOON = parseTime("2026-11-21T12:00:00Z") ?? 0;
let platform: Buffer;
let security: Buffer;
beforeAll(async () => {
  platform = await readFile(await policyFile());
  security = await teamBundle("security", { "security.rego": SECURITY });
});

const other = (bytes: Uint8Array, ref = "other", expected: OtherTarball["expected"] = null): OtherTarball => ({
  bytes,
  ref,
  expected,
});
const load = (others: OtherTarball[], main = platform): Promise<LoadedBundles> =>
  loadBundles({ bytes: main, ref: "main" }, others);

/** What the bundles say of a machine. */
function asked(
  { bundle }: LoadedBundles,
  spec: object = {},
  labels: Record<string, string> = { owner: "me" },
): Decision {
  const object = vm({ cpu: 2, memory: 4, ...spec }, { labels });
  const namespace = { name: "demo", labels: {}, annotations: {} };
  return decideAlone({
    kind: "VmTemplate",
    object,
    namespace,
    nowSeconds: NOON,
    relatedWorkloads: null,
    operation: "CREATE",
    policy: bundle,
  });
}

const withSettings = (dataImages: object): Promise<Buffer> =>
  changedBundle((data) => {
    data.landfall["settings"] = { ...data.landfall["settings"], dataImages };
  });

describe("a data image", () => {
  it("replaces the platform's data, and the decision names it with its date", async () => {
    const here = { provider: "azure", schedulingLocation: "italynorth" };
    const alone = asked(await load([]), here);
    const decision = asked(await load([other(carbonImage(1000, { dates: { "carbon profiles": "2031" } }))]), here);
    expect(alone.policy).toEqual({ digest: decision.policy.digest, revision: decision.policy.revision });
    expect(decision.policy.bundles).toEqual({
      carbon: { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string, revision: "r1" },
    });
    expect(decision.data).toMatchObject({ "bundle carbon": "2026-11-20T00:00:00Z", "carbon profiles": "2031" });
    expect(decision.data["power model"]).toBe(alone.data["power model"]);
    expect(decision.placement?.carbon?.source).toBe("climatology, yearly mean only: test");
    expect(decision.placement?.gramsCO2).toBeGreaterThan(2 * (alone.placement?.gramsCO2 ?? Infinity));
  });

  it("does not change the platform's other data", async () => {
    const before = await load([]);
    const { data } = await load([other(carbonImage(5))]);
    const { landfall } = data as { landfall: { catalog: Record<string, unknown> } };
    const { landfall: was } = before.data as typeof data & { landfall: { catalog: Record<string, unknown> } };
    expect(Object.keys(landfall.catalog)).toEqual(Object.keys(was.catalog));
    expect(landfall.catalog["types"]).toEqual(was.catalog["types"]);
  });

  it.each<[string, object, object | null, { denied?: string[]; degraded?: string[] }]>([
    ["within its own limit", { freshHours: 48 }, null, {}],
    ["older than its publisher lets it get", { freshHours: 24 }, null, { degraded: ["BUNDLE_DATA_STALE"] }],
    ["without any limit", {}, null, {}],
    [
      "older than the platform lets all get",
      {},
      { stale: { hours: 24, action: "warn" } },
      { degraded: ["BUNDLE_DATA_STALE"] },
    ],
    [
      "older than the platform lets this one get, which refuses then",
      { freshHours: 400 },
      { byName: { carbon: { hours: 35.9, action: "refuse" } } },
      { denied: ["BUNDLE_DATA_STALE"] },
    ],
    ["fresh, where the platform would refuse", {}, { byName: { carbon: { hours: 36, action: "refuse" } } }, {}],
    ["of tomorrow", { date: "2026-11-22T00:00:00Z", freshHours: 1 }, null, {}],
  ])("%s", async (_, card, settings, { denied = [], degraded = [] }) => {
    const base = { replaceable: ["landfall/catalog"], stale: { hours: null, action: "warn" }, byName: {} };
    const main = settings === null ? platform : await withSettings({ ...base, ...settings });
    const decision = asked(await load([other(carbonImage(300, card))], main), { provider: "gcp" });
    expect(decision.denials.map(({ code }) => code)).toEqual(denied);
    expect(decision.degraded.map(({ code }) => code).filter((code) => code.startsWith("BUNDLE"))).toEqual(degraded);
    if (denied.length > 0) expect(decision.denials[0]?.message).toContain("36 hours old; the limit is 36 hours");
  });
});

describe("the rules of another team", () => {
  it("deny, warn and refuse places, after the platform's rules", async () => {
    const bundles = await load([other(security)]);
    expect(asked(bundles, {}, {}).denials).toMatchObject([
      { code: "SEC_OWNER", field: "metadata.labels.owner", actual: null, remedy: expect.any(String) as string },
    ]);
    // With areas of its own, no default limit of latency is asked after the rules of the team.
    const own = { dataResidency: ["EU"] };
    const decision = asked(bundles, own);
    expect(decision.warnings).toEqual([{ code: "SEC_LOOK", message: "security looks at it", source: "security" }]);
    expect(decision.candidates.rejected["security"]?.every((place) => place.startsWith("aws/"))).toBe(true);
    expect(decision.candidates.funnel.at(-1)).toEqual({
      rule: "security",
      text: `security: ${String(decision.candidates.eligible)} remain`,
      remaining: decision.candidates.eligible,
    });
    expect(decision.placement?.provider).not.toBe("aws");
    const eligible = asked(await load([]), own).candidates.eligible;
    expect(decision.candidates.eligible).toBe(eligible - (decision.candidates.rejected["security"]?.length ?? 0));
  });

  it("give the reason if they refuse the only place, and report that none remains if there were several", async () => {
    const bundles = await load([other(security)]);
    expect(asked(bundles, { provider: "aws", schedulingLocation: "eu-south-1" }).denials[0]).toMatchObject({
      code: "POL_PLACE_REFUSED",
      message: "aws/eu-south-1: not reviewed yet (security)",
      actual: "aws/eu-south-1",
    });
    expect(asked(bundles, { provider: "aws" }).denials[0]?.code).toBe("PLACEMENT_NONE");
  });

  it("are asked about objects of the namespaces that the settings name, and of no others", async () => {
    const codes = async (namespaces: OtherTarball["namespaces"]): Promise<string[]> =>
      asked(await load([{ ...other(security), namespaces }]), {}, {}).denials.map(({ code }) => code);
    expect(await codes({ names: ["de*"], labels: {} })).toEqual(["SEC_OWNER"]);
    expect(await codes({ names: ["payments"], labels: {} })).toEqual([]);
    const elsewhere = await load([{ ...other(security), namespaces: { names: ["payments"], labels: {} } }]);
    const decision = asked(elsewhere);
    expect([decision.warnings, decision.candidates.rejected["security"]]).toEqual([[], undefined]);
    // Its own smoke inputs are asked of it wherever they are.
    expect(asked({ ...elsewhere, bundle: elsewhere.teams[0]?.bundle ?? elsewhere.bundle }, {}, {}).allowed).toBe(false);
  });

  it("never allow what the platform denies, and never hide its reason", async () => {
    const decision = asked(await load([other(security)]), { dataResidency: ["XX"] }, {});
    expect(decision.denials.map(({ code }) => code)).toEqual(["POL_UNKNOWN_AREA", "SEC_OWNER"]);
  });

  it("deny even with an entry of the wrong shape", async () => {
    const entries = `denials contains entry if some entry in ["in words", 7, {"code": 5, "actual": [1]}]`;
    const bytes = await teamBundle("odd", { "odd.rego": `package landfall.custom.odd\n\n${entries}\n` });
    expect(asked(await load([other(bytes)])).denials).toMatchObject([
      { code: "POL_CUSTOM", message: "rule odd of bundle odd" },
      { code: "POL_CUSTOM", message: "rule odd of bundle odd", actual: null },
      { code: "POL_CUSTOM", message: "in words" },
    ]);
  });

  it("see unclaimed data images, regardless of the order of bundles", async () => {
    const image = dataImage({ name: "blocked" }, ["acme/blocked"], { acme: { blocked: { web: ["blocked by acme"] } } });
    const decisions = [
      [security, image],
      [image, security],
    ].map(async (both) => asked(await load(both.map((bytes, index) => other(bytes, `b${String(index)}`)))));
    const [one, two] = await Promise.all(decisions);
    expect(one?.denials).toMatchObject([{ code: "POL_CUSTOM", message: "blocked by acme" }]);
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
  });

  it("are named on the object in at most 4 KiB, even with eight bundles", async () => {
    const images = Array.from({ length: 8 }, (_, index) =>
      other(
        dataImage({ name: `image-of-the-acme-team-number-${String(index)}` }, [`acme/n${String(index)}`], {
          acme: { [`n${String(index)}`]: 1 },
        }),
      ),
    );
    const decision = asked(await load(images));
    if (decision.placement === null) expect.fail("denied");
    const text = compactDecision({ decision, placement: decision.placement, held: false, moves: [] });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(Object.keys((JSON.parse(text) as Decision).policy.bundles ?? {})).toHaveLength(8);
  });
});

describe("bundles that do not go together", () => {
  const value = (path: string): object =>
    path.split("/").reduceRight<unknown>((inner, key) => ({ [key]: inner }), 1) as object;
  const image = (name: string, ...roots: string[]): Buffer =>
    dataImage(
      { name },
      roots,
      roots.map(value).reduce((sum, one) => ({ ...sum, ...one }), {}),
    );

  it.each<[string, () => OtherTarball[] | Promise<OtherTarball[]>, ErrorCode, string]>([
    [
      "two images of one root",
      () => [other(image("a", "acme/x"), "one"), other(image("b", "acme/x/y"), "two")],
      "BUNDLE_ROOTS",
      "bundle two claims acme/x/y, which belongs to bundle one (acme/x)",
    ],
    [
      "two of one name",
      () => [other(image("a", "acme/x"), "one"), other(image("a", "acme/y"), "two")],
      "BUNDLE_ROOTS",
      "the name a",
    ],
    [
      "data that the platform does not hand over",
      () => [other(image("a", "landfall/settings"), "one")],
      "BUNDLE_ROOTS",
      "bundle one claims landfall/settings, which belongs to bundle main",
    ],
    [
      "all of the platform's data",
      () => [other(image("a", "landfall"), "one")],
      "BUNDLE_ROOTS",
      "belongs to bundle main",
    ],
    [
      "another name than the settings have",
      () => [other(image("a", "acme/x"), "one", { name: "b", kind: "data" })],
      "BUNDLE_NAME",
      "bundle one is data a, but the bundle settings expect data b",
    ],
    [
      "policies where the settings have data",
      () => [other(security, "one", { name: "security", kind: "data" })],
      "BUNDLE_NAME",
      "is policy security, but the bundle settings expect data security",
    ],
    [
      "tables for other places",
      () => [other(dataImage({ name: "a", places: "0".repeat(16) }, ["acme"], { acme: 1 }))],
      "BUNDLE_DATA",
      "other places",
    ],
    [
      "nothing at its root",
      () => [other(dataImage({ name: "a" }, ["acme/x"], {}))],
      "BUNDLE_DATA",
      "nothing at acme/x",
    ],
    [
      "data outside its roots",
      () => [other(dataImage({ name: "a" }, ["acme/x"], { acme: { x: 1, y: 2 } }))],
      "BUNDLE_DATA",
      "data.acme.y is outside its roots",
    ],
    ["no roots", () => [other(dataImage({ name: "a" }, [], {}))], "BUNDLE_UNREADABLE", "roots"],
    [
      "no name",
      () => [other(dataImage({}, ["acme"], { acme: 1 }))],
      "BUNDLE_UNREADABLE",
      "metadata.landfall.name is missing",
    ],
    [
      "no date",
      () => [other(dataImage({ name: "a", date: undefined }, ["x"], { x: 1 }))],
      "BUNDLE_UNREADABLE",
      "metadata.landfall.date is missing",
    ],
    ["a platform's bundle", () => [other(platform)], "BUNDLE_UNREADABLE", "metadata.landfall"],
    [
      "data with rules in it",
      () => [other(dataImage({ name: "a" }, ["x"], { x: 1 }, { "x/y.rego": "package x.y" }))],
      "BUNDLE_UNREADABLE",
      "calls itself data",
    ],
    [
      "data of the wrong shape in the catalog's place",
      () => [
        other(
          dataImage({ name: "carbon" }, ["landfall/catalog/carbon"], { landfall: { catalog: { carbon: { DE: 1 } } } }),
        ),
      ],
      "BUNDLE_DATA",
      "landfall.catalog.carbon",
    ],
    [
      "rules whose roots are not theirs",
      () => [other(dataImage({ name: "a", kind: "policy" }, ["landfall/main"], {}, { "policy.wasm": "x" }))],
      "BUNDLE_UNREADABLE",
      "packages like landfall/custom/security",
    ],
    [
      "rules that are no module",
      () => [other(dataImage({ name: "a", kind: "policy" }, ["landfall/custom/a"], {}, { "policy.wasm": "x" }))],
      "BUNDLE_UNREADABLE",
      "WebAssembly",
    ],
  ])("%s", async (_, others, code, detail) => {
    const failure = Promise.resolve(others()).then((given) => load(given));
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(detail);
  });

  it("are rejected if they share a package with the platform", async () => {
    const main = await changedBundle(() => undefined, {
      "landfall/custom/mine.rego": "package landfall.custom.security\n",
    });
    const failure = load([other(security, "one")], main);
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_ROOTS" satisfies ErrorCode });
    await expect(failure).rejects.toThrow("landfall/custom/security, which belongs to bundle main");
  });
});

describe("building a team's bundle", () => {
  it("gives equal bytes for equal sources", async () => {
    expect((await teamBundle("security", { "security.rego": SECURITY })).equals(security)).toBe(true);
  });

  it.each([
    ["a package of somebody else", "package landfall.settings\n\nx := 1\n", "has to be landfall.custom.NAME"],
    [
      "data that is not there",
      "package landfall.custom.a\n\nx if data.landfall.settings.os\n",
      "only the platform's own",
    ],
    [
      "tables that are not there",
      "package landfall.custom.a\n\nimport data.landfall.catalog\n\nx if catalog.types\n",
      "catalog.types",
    ],
    ["what does not parse", "package landfall.custom.a\n\nx :=\n", "rego_parse_error"],
  ])("refuses %s", async (_, text, detail) => {
    const failure = teamBundle("a", { "a.rego": text });
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_BUILD" });
    await expect(failure).rejects.toThrow(detail);
  });
});
