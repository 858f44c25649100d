import { nameKind } from "../../../composition/definition/name-kind.ts";
import { LandfallError } from "../../../errors.ts";
import { KINDS } from "../../../model/names.ts";

interface NameRule {
  pattern: RegExp;
  limit: number;
  /** The rule as text. */
  allowed: string;
  /** Reserved names. */
  reserved: readonly string[];
}

const KEYWORDS = "as contains data default else every false if import in input not null package some true with";

const RULES = {
  // A word of a chart's name becomes a word of the kind, so each starts with a letter.
  chart: {
    pattern: /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/,
    limit: 40,
    allowed: "lower-case words with dashes between them, as private-network, at most 40 characters",
    // charts/landfall installs Landfall itself.
    reserved: ["landfall"],
  },
  kind: {
    pattern: /^([A-Z][a-z0-9]*)+$/,
    limit: 40,
    allowed: `words with a capital first, as PrivateNetwork, at most 40 characters; ${KINDS.join(" and ")} are Landfall's own`,
    reserved: KINDS,
  },
  // The first half of provider/region.
  provider: { pattern: /^[a-z]+$/, limit: 30, allowed: "lower-case letters, at most 30", reserved: [] },
  policy: {
    pattern: /^[a-z][a-z0-9_]*$(?<!_test)/,
    limit: 50,
    allowed:
      "lower-case letters, digits and underscores, as gpu_hours, at most 50; no word of Rego, no _test at the end",
    reserved: KEYWORDS.split(" "),
  },
} as const satisfies Record<string, NameRule>;

/** Validates a name for Helm, Kubernetes and Rego; path characters are rejected too. Throws CLI_SCAFFOLD_NAME. */
export function requireName(what: keyof typeof RULES, name: string): string {
  const { pattern, limit, allowed, reserved }: NameRule = RULES[what];
  if (!pattern.test(name) || name.length > limit || reserved.includes(name))
    throw new LandfallError("CLI_SCAFFOLD_NAME", { name: JSON.stringify(name), what, allowed });
  if (what === "chart") requireName("kind", nameKind(name).kind);
  return name;
}
