import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { context, create, NO_OWNERS, NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import schema from "../../../../../schemas/vm-template.schema.json" with { type: "json" };

const policy = await loadPolicy();
const words = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];
const fields = Object.keys(schema.properties).filter((field) => !["cpu", "memory"].includes(field));

describe("165: a value that every JavaScript map has a field for", () => {
  it.each(fields)("of %s is corrected without code", (field) => {
    for (const word of words) {
      const outcome = admit(create(vm({ cpu: 2, memory: 4, [field]: word })), context(policy, NOW, NO_OWNERS));
      expect(JSON.stringify(outcome)).not.toMatch(/native code|\[object |=>|NaN/);
    }
  });
});
