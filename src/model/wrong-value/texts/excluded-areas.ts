import { isObject } from "../../json.ts";
import { countriesOfPlaces, findArea, membersOf } from "../../places/find-area.ts";
import { FIELD, type Reading } from "../schema-node.ts";

/** Names of what a list does not hold. */
export const EXCLUDING = /^(?:exclu|except|den|not|forbid|block|without|disallow)/i;

/** Whether a map says what is excluded: `{not: [westeurope]}`. */
export const excludes = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).some((name) => EXCLUDING.test(name));

/** The sign or word before what is excluded: `!westeurope`, `not westeurope`. */
export const SIGN = /^(?:[!~^-]|(?:not|no|except|without|non|excluding|minus)[\s-])\s{0,4}/i;

/** Words between what is allowed and what is not: `EU except PL`. */
const BETWEEN = /\s(?:except(?: for)?|without|excluding|minus|but not|not)\s/i;

/** The texts of what is allowed and of what is not. */
interface Parts {
  allowed: readonly string[];
  excluded: readonly string[];
}

const NONE: Parts = { allowed: [], excluded: [] };

const joined = (all: readonly Parts[]): Parts => ({
  allowed: all.flatMap(({ allowed }) => allowed),
  excluded: all.flatMap(({ excluded }) => excluded),
});

const swapped = ({ allowed, excluded }: Parts): Parts => ({ allowed: excluded, excluded: allowed });

const words = (text: string): string[] => text.split(/\s{0,4}(?:[,;&\n]|\sand\s)\s{0,4}/).filter((one) => one !== "");

function ofText(text: string): Parts {
  const [allowed = "", ...excluded] = text.trim().split(BETWEEN);
  if (excluded.length > 0 && !SIGN.test(allowed)) return { allowed: words(allowed), excluded: excluded.flatMap(words) };
  const all = words(text.trim()).flatMap((one) => (/\s[!-]/.test(one) ? one.split(/\s+/) : [one]));
  return {
    allowed: all.filter((one) => !SIGN.test(one)),
    excluded: all.filter((one) => SIGN.test(one)).map((one) => one.replace(SIGN, "")),
  };
}

function partsOf(value: unknown): Parts {
  if (typeof value === "string") return ofText(value);
  if (Array.isArray(value)) return joined(value.map(partsOf));
  if (!isObject(value)) return NONE;
  return joined(
    Object.entries(value).map(([name, one]) => (EXCLUDING.test(name) ? swapped(partsOf(one)) : partsOf(one))),
  );
}

/** The codes of areas by their names; null if one is not known. */
function codesOf(names: readonly string[]): string[] | null {
  const codes = names.map((one) => findArea(one));
  return codes.every((one) => one !== null) ? codes : null;
}

/** Each area without what is excluded: as it is where it holds none of that, and as its other countries else. */
function without(allowed: readonly string[], excluded: readonly string[]): string[] {
  const left = allowed.flatMap((area) => {
    const members = membersOf(area);
    return members.some((one) => excluded.includes(one)) ? members.filter((one) => !excluded.includes(one)) : [area];
  });
  return [...new Set(left)];
}

/** YAML reads NO without quotes as false. */
const inYaml = (code: string): string => (code === "NO" ? JSON.stringify(code) : code);

const PROBLEM = "excludes areas";
const CANNOT = "areas cannot be excluded; list those that are allowed";

/** The allowed areas of a value that also excludes some: `{include: [EU], exclude: [PL]}`, `[EU, "!PL"]`. Null for one that excludes none. */
export function readExcludedAreas(value: unknown): Reading | null {
  const parts = partsOf(value);
  if (parts.excluded.length === 0) return null;
  const [allowed, excluded] = [codesOf(parts.allowed), codesOf(parts.excluded)];
  if (allowed === null || excluded === null) return { problem: PROBLEM, advice: `${CANNOT}, by their codes` };
  const isOpen = allowed.length === 0;
  const left = without(isOpen ? countriesOfPlaces() : allowed, excluded.flatMap(membersOf));
  if (left.length === 0) return { problem: PROBLEM, advice: `${CANNOT}, by their codes` };
  const whose = isOpen ? "; these countries have places" : "";
  return { problem: PROBLEM, value: left, advice: `${CANNOT}: ${FIELD}[${left.map(inYaml).join(", ")}]${whose}` };
}
