import type { KubernetesObject } from "../../model/kubernetes.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { LandfallError } from "../../errors.ts";
import { EXPECT } from "./example-types.ts";
import type { Example } from "./example-types.ts";
import { readManifests } from "../control-plane/read-manifests.ts";

const EXPECTATION = /^(Ready|Scheduled|Completed|Deleted|Denied: [A-Z][A-Z0-9_]+|Failed: \w+)$/;

function expectedOf(file: string, object: KubernetesObject): string[] {
  const text = object.metadata.annotations?.[EXPECT] ?? "";
  const expected = text.split(",").map((one) => one.trim());
  if (expected.every((one) => EXPECTATION.test(one))) return expected;
  throw new LandfallError("LOCAL_EXAMPLE", { file, detail: `annotation ${EXPECT} is "${text}"` });
}

export interface Examples {
  /** Namespaces and other objects that the examples need, in the order of the files. */
  foundations: KubernetesObject[];
  examples: Example[];
}

/** Reads a folder of examples: compositions are examples, everything else is applied before them. Errors: LOCAL_EXAMPLE. */
export async function readExamples(folder: string): Promise<Examples> {
  const manifests = await readManifests(folder);
  const isComposition = (object: KubernetesObject): boolean => object.apiVersion.startsWith(`${COMPOSITION_GROUP}/`);
  const examples = manifests
    .filter(({ object }) => isComposition(object))
    .map(({ file, object }) => ({ file, object, expected: expectedOf(file, object) }));
  return { foundations: manifests.map(({ object }) => object).filter((object) => !isComposition(object)), examples };
}
