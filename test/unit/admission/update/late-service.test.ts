// A service that was installed later than its decided start, and that a change ends: apply counts as the controller does.
import { expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

/** What apply says of this end, twelve hours after the decided start of a service that was started then. */
function endsOf(started: number, to: object): string[] {
  const service = vm({ cpu: 2, memory: 4, provider: "azure" });
  const { metadata, ...rest } = patched(service, admit(create(service), context(policy)));
  const annotations = { ...metadata.annotations, [ANNOTATION.started]: formatTime(started) };
  const old = { ...rest, metadata: { ...metadata, annotations }, status: { managed: [{}] } };
  const changed = { ...old, spec: { ...old.spec, ...to } };
  const outcome = admit(update(old, changed), context(policy, NOW + 12 * HOUR_SECONDS));
  return outcome.allowed ? outcome.warnings.filter((text) => /\[END_(NOW|SOON)\]$/.test(text)) : [outcome.message];
}

it.each([{ duration: "4h", whenDone: "delete" }, { maxLifetime: "4h" }])(
  "is told no end that is hours ahead: %o",
  (to) => {
    expect(endsOf(NOW + 10 * HOUR_SECONDS, to)).toEqual([]);
  },
);

it.each<[string, number, string]>([
  ["its actual start", 8 * HOUR_SECONDS + 300, `at ${formatTime(NOW + 12 * HOUR_SECONDS + 300)}, so that`],
  ["the decided start, if it names an earlier one", -HOUR_SECONDS, "already, so that the run ends now"],
])("is told the end by %s", (_what, after, text) => {
  expect(endsOf(NOW + after, { duration: "4h", whenDone: "delete" })).toEqual([expect.stringContaining(text)]);
});
