import { expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { annotationWarnings } from "../../../../src/admission/check/annotation-warnings.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { context, create, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
type Texts = Record<string, string>;

const warningsOf = (outcome: Outcome): string[] => {
  if (!outcome.allowed) throw new TypeError(outcome.message);
  return outcome.warnings.filter((text) => text.endsWith("[ADM_ANNOTATION]"));
};

const CASES: [string, { annotations?: Texts; labels?: Texts }, string[]][] = [
  [
    "a misspelt name",
    { annotations: { "landfall.dev/start-nwo": "a release" } },
    [
      "metadata.annotations[landfall.dev/start-nwo] is not an annotation of Landfall, so it has no effect; write landfall.dev/start-now [ADM_ANNOTATION]",
    ],
  ],
  [
    "another notation",
    { annotations: { "landfall.dev/allowMove": "true" } },
    [
      "metadata.annotations[landfall.dev/allowMove] is not an annotation of Landfall, so it has no effect; write landfall.dev/allow-move [ADM_ANNOTATION]",
    ],
  ],
  [
    "a misspelt prefix",
    { annotations: { "landfal.dev/hold": "audit" } },
    [
      "metadata.annotations[landfal.dev/hold] is not an annotation of Landfall, so it has no effect; write landfall.dev/hold [ADM_ANNOTATION]",
    ],
  ],
  [
    "a value that allows nothing",
    { annotations: { "landfall.dev/allow-move": "yes" } },
    [
      'metadata.annotations[landfall.dev/allow-move] "yes" allows nothing; write landfall.dev/allow-move: "true" [ADM_ANNOTATION]',
    ],
  ],
  [
    "a label for an annotation",
    { labels: { "landfall.dev/hold": "audit" } },
    [
      "metadata.labels[landfall.dev/hold] is a label, so it has no effect; write landfall.dev/hold as an annotation [ADM_ANNOTATION]",
    ],
  ],
  [
    "a setting of namespaces",
    { annotations: { "landfall.dev/residency": "EU", "landfall.dev/quota-vcpus": "8", "landfall.dev/max_wait": "3h" } },
    [
      "metadata.annotations[landfall.dev/residency] is a setting of namespaces, so it has no effect on an object; write spec.dataResidency, or annotate the namespace with landfall.dev/residency [ADM_ANNOTATION]",
      "metadata.annotations[landfall.dev/quota-vcpus] is a setting of namespaces, so it has no effect on an object; annotate the namespace with landfall.dev/quota-vcpus [ADM_ANNOTATION]",
      "metadata.annotations[landfall.dev/max_wait] is a setting of namespaces, so it has no effect on an object; write spec.maxWait, or annotate the namespace with landfall.dev/max-wait [ADM_ANNOTATION]",
    ],
  ],
  [
    "a policy of deletion that Krateo does not have",
    { annotations: { "krateo.io/deletion-policy": "Retain" } },
    [
      'metadata.annotations[krateo.io/deletion-policy] "Retain" is not known, so that the resources are deleted with the object; write krateo.io/deletion-policy: orphan to keep them, or spec.deletionPolicy: retain [ADM_ANNOTATION]',
    ],
  ],
  ["policies of deletion that Krateo has", { annotations: { "krateo.io/deletion-policy": "orphan" } }, []],
  ["names of others", { annotations: { "example.org/hold": "a", "example.landfall.dev/expect": "Ready" } }, []],
  [
    "a pause in another word",
    { annotations: { "krateo.io/paused": "yes" } },
    ['metadata.annotations[krateo.io/paused] "yes" pauses nothing; write krateo.io/paused: "true" [ADM_ANNOTATION]'],
  ],
  ["a right pause", { annotations: { "krateo.io/paused": "true" } }, []],
  ["a right one", { annotations: { "landfall.dev/allow-move": "true" } }, []],
];

it.each(CASES)("a new object with %s", (_name, metadata, texts) => {
  expect(warningsOf(admit(create(vm({ cpu: 2, memory: 4 }, metadata)), context(policy)))).toEqual(texts);
});

it.each(CASES)("a change that adds %s is told once", (_name, { annotations = {}, labels = {} }, texts) => {
  const object = vm({ cpu: 2, memory: 4 });
  const stored = patched(object, admit(create(object), context(policy)));
  const { metadata } = stored;
  const changed = {
    ...stored,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...annotations },
      labels: { ...metadata.labels, ...labels },
    },
  };
  expect(warningsOf(admit(update(stored, changed), context(policy)))).toEqual(texts);
  const again = { ...changed, metadata: { ...changed.metadata, generation: 2 } };
  expect(warningsOf(admit(update(changed, again), context(policy)))).toEqual([]);
});

it.each([
  ["2", "1", true],
  ["10", "9", true],
  ["run-2", "run-1", true],
  ["2026-11-22", "2026-11-09", true],
  ["2026-11-22", "2025-12-31", true],
  ["1", "2", false],
  ["9", "10", false],
  ["2026-11-22", "2026-12-01", false],
  ["2", "2", false],
  ["2", "02", false],
  ["a", "b", false],
  ["run-2", "job-1", false],
  ["", "1", false],
])("landfall.dev/run that was %s and becomes %s: told %s", (before, after, told) => {
  const withRun = (run: string) =>
    vm({ cpu: 2, memory: 4, duration: "1h" }, { annotations: run === "" ? {} : { "landfall.dev/run": run } });
  const codes = annotationWarnings(withRun(after), withRun(before)).map(({ code }) => code);
  expect(codes).toEqual(told ? ["RUN_EARLIER"] : []);
});

it("an earlier value of landfall.dev/run is told by apply", () => {
  const object = vm({ cpu: 2, memory: 4, duration: "1h" }, { annotations: { "landfall.dev/run": "2" } });
  const stored = patched(object, admit(create(object), context(policy)));
  const { metadata } = stored;
  const earlier = {
    ...stored,
    metadata: { ...metadata, annotations: { ...metadata.annotations, "landfall.dev/run": "1" } },
  };
  const outcome = admit(update(stored, earlier), context(policy));
  const told = outcome.allowed ? outcome.warnings.filter((text) => text.endsWith("[RUN_EARLIER]")) : [];
  expect(told).toEqual([
    "landfall.dev/run goes back from 2 to 1, and begins another run: if an older manifest was applied, omit the annotation in it, or write 2 [RUN_EARLIER]",
  ]);
});
