import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../src/model/json.ts";
import { type LicensedPackage, licenceProblems } from "./licence-problems.ts";

async function readJson(file: string): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await readFile(file, "utf8"));
  return isObject(value) ? value : {};
}

/** `license` of a package; older packages have `licenses`, a list of which one may be chosen. */
function licenceOf({ license, licenses }: Record<string, unknown>): string | null {
  if (typeof license === "string") return license;
  if (isObject(license) && typeof license["type"] === "string") return license["type"];
  const types = Array.isArray(licenses) ? licenses.filter(isObject).map(({ type }) => String(type)) : [];
  return types.length > 0 ? types.join(" OR ") : null;
}

/** What is installed says it for itself; packages for other platforms are known from the lock file only. */
async function licensed(root: string, path: string, locked: unknown): Promise<LicensedPackage> {
  const own = await readJson(join(root, path, "package.json")).catch(() => null);
  const about = own ?? (isObject(locked) ? locked : {});
  return { name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length), licence: licenceOf(about) };
}

/** What is wrong with the licences of all packages of package-lock.json, those for development included; one line each. */
export async function checkLicences(root: string): Promise<string[]> {
  const { packages } = await readJson(join(root, "package-lock.json"));
  const entries = Object.entries(isObject(packages) ? packages : {}).filter(([path]) => path !== "");
  if (entries.length === 0) return ["package-lock.json names no packages"];
  return licenceProblems(await Promise.all(entries.map(([path, locked]) => licensed(root, path, locked))));
}
