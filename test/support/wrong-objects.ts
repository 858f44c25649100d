import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { KUBERNETES_YAML } from "../../src/model/formats/kubernetes-yaml.ts";
import type { Kind } from "../../src/model/names.ts";

export const WRONG_OBJECTS = "test/fixtures/wrong-objects/cases.yaml";

/** An object that people write by mistake. */
export interface WrongObject {
  is: string;
  kind?: Kind;
  /** Whether the spec is complete, and gets no cpu and memory. */
  bare?: boolean;
  /** Whether the API server removes what is wrong, a field without a value, before it asks a webhook, and takes the rest: only explain sees it. */
  removed?: boolean;
  /** The spec as YAML. */
  write: string;
  /** Code, message and remedy of each denial. */
  says?: string[];
}

export const wrongObjects = (): WrongObject[] => parse(readFileSync(WRONG_OBJECTS, "utf8")) as WrongObject[];

/** Fields that a spec needs and that its mistake does not have. */
function added({ kind = "VmTemplate", bare = kind === "KaasCluster", write }: WrongObject): string[] {
  const spec = parse(write, KUBERNETES_YAML) as object;
  return bare ? [] : ["cpu: 2", "memory: 4"].filter((line) => !Object.hasOwn(spec, line.split(":")[0] ?? ""));
}

/** The manifest as a person writes it: its YAML is that of the case. */
export function manifestOf(one: WrongObject, name: string): string {
  const { kind = "VmTemplate", write } = one;
  const isFlow = write.startsWith("{");
  const more = added(one).map((line) => (isFlow ? `${line}, ` : `${line}\n`));
  const spec = isFlow ? write.replace("{", `{${more.join("")}`) : `${more.join("")}${write.trimEnd()}`;
  const head = `apiVersion: composition.krateo.io/v0-2-0\nkind: ${kind}\nmetadata: {name: ${name}, namespace: default}\n`;
  return `${head}spec:\n${spec.replaceAll(/^/gm, "  ")}\n`;
}
