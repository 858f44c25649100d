import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { checkPushed } from "../../../src/bundle/check-pushed.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { regexFault } from "../../../src/model/text/re2-fault.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import { context, vm } from "../../support/admission.ts";
import { loadPolicy, policyFile } from "../../support/load-policy.ts";

interface Data {
  landfall: { settings: { naming: Record<string, unknown> } };
}

const bytes = await readFile(await policyFile());
const policy = await loadPolicy();

/** The project's bundle with other patterns, as one of an earlier version can have them. */
function withNaming(naming: Record<string, unknown>): Buffer {
  const files = new Map(readTar(bytes));
  const data = JSON.parse(files.get("data.json")?.toString("utf8") ?? "{}") as Data;
  Object.assign(data.landfall.settings.naming, naming);
  files.set("data.json", Buffer.from(JSON.stringify(data)));
  return writeTar(new Map([...files].map(([name, body]) => [`/${name}`, body])));
}

const object = vm({ cpu: 2, memory: 4, vmName: "web" });
const decided = (bundle: typeof policy, annotations: Record<string, string> = {}) =>
  decideAlone({
    ...context(bundle),
    ...{ kind: "VmTemplate", object, operation: "CREATE" },
    namespace: { name: "demo", labels: {}, annotations },
  });

describe("a pattern of the settings that is not a regular expression", () => {
  it.each([
    ["name", "metadata.name"],
    ["vmName", "spec.vmName"],
  ])("denies what it is for: naming.%s", async (name, field) => {
    const { allowed, denials } = decided(await loadBundle(withNaming({ [name]: "([" }), "earlier"));
    expect(allowed).toBe(false);
    expect(denials).toEqual([
      {
        code: "POL_SETTINGS",
        message: `settings.naming.${name} ([ is not a regular expression (RE2), so ${field} cannot be compared with it`,
        remedy:
          "correct landfall/settings/data.yaml, or ask the platform team to; docs/reference/settings.md lists every setting",
        field: `settings.naming.${name}`,
        actual: "([",
        allowed: "a regular expression (RE2), or null for any name",
      },
    ]);
  });

  it("is not pushed", () => {
    expect(() => {
      checkPushed(withNaming({ name: "([" }), "bundle.tar.gz");
    }).toThrow('bundle.tar.gz: settings naming.name: "([" is not a regular expression (RE2): missing closing ]: [; ');
    checkPushed(withNaming({ name: "^team-" }), "bundle.tar.gz");
  });
});

describe("regexFault", () => {
  it.each([
    ...[
      "^team-",
      "(?i)team",
      "[[:alpha:]]+",
      String.raw`^\pL+\z`,
      String.raw`\Q[\E`,
      "a{1000}",
      "(?P<n>a)",
      "a|b",
      ".",
    ],
    ...[
      "([",
      "(?!a)b",
      "(?=a)",
      "(?<=a)b",
      "*-prod",
      "a{1001}",
      String.raw`(a)\1`,
      "a**",
      "a\\",
      "[z-a]",
      "(?#x)",
      "+",
    ],
  ])("says the same of %s as the policy", (pattern) => {
    const { denials } = decided(policy, { "landfall.dev/name-pattern": pattern });
    expect(denials.some(({ code }) => code === "POL_NAMESPACE_SETTING")).toBe(regexFault(pattern) !== null);
  });

  it.each([
    ["*-prod", "^.*-prod$"],
    ["?*.db", String.raw`^..*\.db$`],
    ["([", null],
  ])("offers what is meant by %s: %s", (wildcard, meant) => {
    expect(regexFault(wildcard)?.meant).toBe(meant);
  });
});
