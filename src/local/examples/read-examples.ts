import type { KubernetesObject } from "../../model/kubernetes.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { LandfallError } from "../../errors.ts";
import { EVENTS, EXPECT } from "./example-types.ts";
import type { Example } from "./example-types.ts";
import { readManifests } from "../control-plane/read-manifests.ts";

const EXPECTATION = /^(Ready|Scheduled|Completed|Deleted|Denied: [A-Z][A-Z0-9_]+|Failed: \w+)$/;

const REASON = /^[A-Z][A-Za-z]+$/;

/** The words of an annotation, separated by commas. Throws LOCAL_EXAMPLE. */
function wordsOf(file: string, key: string, text: string, pattern: RegExp): string[] {
  const words = text.split(",").map((one) => one.trim());
  if (words.every((one) => pattern.test(one))) return words;
  throw new LandfallError("LOCAL_EXAMPLE", { file, detail: `annotation ${key} is "${text}"` });
}

function exampleOf(file: string, object: KubernetesObject): Example {
  const { [EXPECT]: expected = "", [EVENTS]: events } = object.metadata.annotations ?? {};
  return {
    ...{ file, object, expected: wordsOf(file, EXPECT, expected, EXPECTATION) },
    events: events === undefined ? [] : wordsOf(file, EVENTS, events, REASON),
  };
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
    .map(({ file, object }) => exampleOf(file, object));
  return { foundations: manifests.map(({ object }) => object).filter((object) => !isComposition(object)), examples };
}
