import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import { table } from "../model/table.ts";
import { nearest } from "../model/text/nearest.ts";
import { runProgram } from "./run-program.ts";

/** The names of a package below landfall.custom that a decision reads (policies/bundle/landfall/additions.rego). */
const READ = ["denials", "warnings", "refused"] as const;

const fail = (detail: string): LandfallError => new LandfallError("BUNDLE_BUILD", { detail });

interface Rule {
  head: Record<string, unknown>;
}

/** A file's package, its rules by their names, and all that it refers to. */
interface Module {
  name: string;
  rules: string[];
  text: string;
  /** The bodies and values of its rules, without their names. */
  bodies: string;
}

/** `[{value: data}, {value: landfall}]` as `data.landfall`. */
const dotted = (path: unknown): string =>
  Array.isArray(path) ? path.map((part) => (isObject(part) ? textOf(part["value"]) : "")).join(".") : "";

async function parsed(opa: string, file: string): Promise<Module> {
  const { code, stdout, stderr } = await runProgram(opa, ["parse", "--format", "json", file]);
  const text = stdout.toString("utf8");
  if (code !== 0) throw fail((stderr + text).trim());
  const module = JSON.parse(text) as { package: { path: unknown }; rules?: Rule[] };
  const all = module.rules ?? [];
  const rules = all.map(({ head }) => dotted(head["ref"]).split(".")[0] ?? "");
  const bodies = all.map(({ head: { ref: _ref, name: _name, ...head }, ...rest }) => ({ ...rest, head }));
  return {
    name: dotted(module.package.path).replace(/^data\./, ""),
    rules: [...new Set(rules)],
    text: JSON.stringify(module),
    bodies: JSON.stringify(bodies),
  };
}

/** The files of packages below landfall.custom, without tests. */
async function customModules(opa: string, source: string): Promise<Module[]> {
  const names = await readdir(source, { recursive: true }).catch((thrown: unknown) => {
    throw new LandfallError("BUNDLE_BUILD", { detail: `${source}: ${messageOf(thrown)}` }, thrown);
  });
  const found: Module[] = [];
  for (const name of names.filter((one) => one.endsWith(".rego") && !one.endsWith("_test.rego")).toSorted()) {
    const file = join(source, name);
    if (/^package[ \t]{1,40}landfall\.custom\./m.test(await readFile(file, "utf8")))
      found.push(await parsed(opa, file));
  }
  return found;
}

/** Names that other policies have for what a decision reads. */
const OTHERS: Readonly<Record<string, (typeof READ)[number]>> = table({
  ...{ deny: "denials", denied: "denials", denial: "denials", violation: "denials", violations: "denials" },
  ...{ warn: "warnings", warning: "warnings", refuse: "refused" },
});

/** Throws for a rule that is meant for one that decisions read, and that nothing uses: it would say nothing. */
function checkNames(name: string, own: readonly Module[], custom: readonly Module[]): void {
  for (const rule of new Set(own.flatMap(({ rules }) => rules))) {
    const meant = OTHERS[rule] ?? nearest(rule, READ);
    if (meant === null || READ.some((one) => one === rule)) continue;
    const inside = own.some(({ bodies }) => bodies.includes(`"value":${JSON.stringify(rule)}`));
    const outside = custom.some(
      (other) => other.name !== name && other.text.includes(`"value":${JSON.stringify(rule)}`),
    );
    if (!inside && !outside)
      throw fail(`no decision reads ${rule} of package ${name}, and no rule uses it: write ${meant}`);
  }
}

/**
 * Checks that each package below landfall.custom has a rule that decisions read, or is used by another one. A rule named `deny` would say
 * nothing in any decision. Throws BUNDLE_BUILD.
 */
export async function checkRules(opa: string, source: string): Promise<void> {
  const custom = await customModules(opa, source);
  for (const name of new Set(custom.map((one) => one.name))) {
    const modules = custom.filter((one) => one.name === name);
    const own = modules.flatMap(({ rules }) => rules);
    const last = JSON.stringify(name.split(".").at(-1));
    const isUsed = custom.some((other) => other.name !== name && other.text.includes(`"value":${last}`));
    if (isUsed || READ.some((one) => own.includes(one))) {
      checkNames(name, modules, custom);
      continue;
    }
    throw fail(
      `package ${name} defines ${own.join(", ") || "no rule"}, and no decision reads it: write ${READ.join(", ")} (docs/guides/policy-authors.md)`,
    );
  }
}
