import { createRequire } from "node:module";
import schema from "../../../schemas/tables.schema.json" with { type: "json" };
import { ERRORS, LandfallError } from "../../errors.ts";
import { smokeProblems } from "./check-smoke.ts";
import { textProblems } from "./check-texts.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { type Found, inside, type SettingProblem } from "../../model/schemas/setting-problem.ts";
import { nearest } from "../../model/text/nearest.ts";
import { regexFault } from "../../model/text/re2-fault.ts";
import { explainErrors } from "../../model/wrong-value/explain-errors.ts";
import { given } from "../../model/wrong-value/explain-value.ts";
import { dotted, type SchemaNode } from "../../model/wrong-value/schema-node.ts";
import { isObject } from "../../model/json.ts";

type Fields = Record<string, unknown>;

const load = createRequire(import.meta.url);

const validate = compileSchema(schema, { allErrors: true }, (ajv) => ajv.addVocabulary(["x-aliases", "x-most"]));

/** Tables by provider, whose names have to be those of the catalog. */
const BY_PROVIDER: readonly (readonly string[])[] = [
  ["clusters", "limits"],
  ["clusters", "floors"],
  ["clusters", "unsupported"],
  ["features", "unsupported"],
  ["images", "by_provider"],
  ["images", "notations"],
];

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

const entriesOf = (value: unknown): [string, unknown][] =>
  isObject(value) || Array.isArray(value) ? Object.entries(value) : [];

function unknownName(field: string, name: string, what: string, known: readonly string[]): SettingProblem[] {
  if (known.includes(name)) return [];
  const near = nearest(name, known);
  const correction = near === null ? "remove it" : `write ${near}`;
  return [{ field, detail: `has "${name}", which is not ${what}, so that the entry has no effect; ${correction}` }];
}

const unknownProviders = (root: Fields, providers: readonly string[]): SettingProblem[] =>
  BY_PROVIDER.flatMap((path) =>
    entriesOf(inside(root, ...path)).flatMap(([name]) =>
      unknownName(path.join("."), name, "a provider of the catalog", providers),
    ),
  );

/** Every text in quotes of the policies: a rule asks for a feature by its name. */
const literals = (policies: readonly string[]): string[] => [
  ...new Set(policies.flatMap((text) => [...text.matchAll(/"([A-Za-z]\w{0,63})"/g)].map(([, name = ""]) => name))),
];

const unknownFeatures = (root: Fields, known: readonly string[]): SettingProblem[] =>
  ["features", "clusters"].flatMap((table) =>
    entriesOf(inside(root, table, "unsupported")).flatMap(([provider, features]) =>
      entriesOf(features).flatMap(([name]) =>
        unknownName(`${table}.unsupported.${provider}`, name, "a feature that a rule asks for", known),
      ),
    ),
  );

/** The operating systems that an object can name. */
const systems = (): string[] => {
  const { properties = {} } = load("../../../schemas/vm-template.schema.json") as SchemaNode;
  return (properties["os"]?.enum ?? []).filter((name) => name !== null);
};

const unknownSystems = (root: Fields): SettingProblem[] =>
  entriesOf(inside(root, "images", "by_provider")).flatMap(([provider, images]) =>
    entriesOf(images).flatMap(([name]) =>
      unknownName(`images.by_provider.${provider}`, name, "an operating system of the schema", systems()),
    ),
  );

/** The codes that a denial of this bundle can have. */
const codesOf = (policies: readonly string[]): string[] => [...Object.keys(ERRORS), ...literals(policies)];

const wrongPatterns = (root: Fields): SettingProblem[] =>
  ["notations", "unrecognised", "withoutCloudInit", "firstGeneration"].flatMap((table) =>
    entriesOf(inside(root, "images", table)).flatMap(([name, pattern]: Found) => {
      const fault = typeof pattern === "string" ? regexFault(pattern) : null;
      if (fault === null) return [];
      const detail = `${JSON.stringify(pattern)} is not a regular expression (RE2): ${fault.detail}; correct it`;
      return [{ field: `images.${table}.${name}`, detail }];
    }),
  );

const wrongShapes = (root: Fields): SettingProblem[] =>
  validate(root)
    ? []
    : explainErrors(schema as unknown as SchemaNode, root, validate.errors ?? []).map(
        ({ pointer, value, detail, correction }) => ({
          field: dotted(pointer).slice(1),
          detail: `${given(pointer, value)} ${detail}; ${correction}`.trimStart(),
        }),
      );

/** The problems of the tables in the part of the data that holds them. */
function problemsOf(root: Fields, policies: readonly string[]): SettingProblem[] {
  const shapes = wrongShapes(root);
  if (shapes.length > 0) return shapes;
  const providers = keysOf(inside(root, "catalog", "typeIds"));
  return [
    ...(providers.length === 0 ? [] : unknownProviders(root, providers)),
    ...unknownFeatures(root, literals(policies)),
    ...unknownSystems(root),
    ...wrongPatterns(root),
    ...smokeProblems(root),
    ...textProblems(root, codesOf(policies)),
  ];
}

/**
 * Throws BUNDLE_TABLES if the tables of clusters, features or images of a new bundle have values or names that switch a rule off unsaid, such
 * as a limit in quotes, which is larger than every number; if its smoke cases cannot pass, or its texts cannot be used. Bundles with other
 * policies may have none of them.
 *
 * @param data the bundle's data
 * @param policies the texts of its Rego files
 */
export function checkTables(data: Fields, policies: readonly string[], ref: string): void {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const own = problemsOf(root, policies);
  const ofTeams = entriesOf(root["custom"]).flatMap(([name, team]) =>
    problemsOf({ smoke: inside(team, "smoke") ?? {} }, policies).map(({ field, detail }) => ({
      field: `custom.${name}.${field}`,
      detail,
    })),
  );
  const [first] = [...own, ...ofTeams];
  if (first === undefined) return;
  const [table = ""] = /^(?:custom\.\w+\.)?\w+/.exec(first.field)?.map((path) => path.replaceAll(".", "/")) ?? [];
  throw new LandfallError("BUNDLE_TABLES", { ref, table, field: first.field, detail: first.detail });
}
