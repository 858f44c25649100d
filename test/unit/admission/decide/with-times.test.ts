import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const NOW = Date.parse("2026-11-28T20:40:00Z") / 1000;

const remedies = (spec: Record<string, unknown>, now = NOW): string[] => {
  const object = vm({ cpu: 2, memory: 4, duration: "2h", ...spec });
  return decideAlone({ ...context(policy, now), kind: "VmTemplate", object, operation: "CREATE" }).denials.map(
    ({ remedy }) => remedy,
  );
};

describe("times in the corrections of an object", () => {
  it("leave the duration before the object's own deadline, also one without a zone", () => {
    const [, start] = remedies({ schedulingTime: "0 22 1 * *", deadline: "2026-11-30T18:00:00" });
    expect(start).toBe(
      "write a time after which the duration ends before the deadline, e.g. schedulingTime: 2026-11-28T22:00:00Z",
    );
    const [next] = remedies({ schedulingTime: "0 22 * * *", deadline: "2026-12-24T18:00:00Z" });
    expect(next).toBe("write schedulingTime: 2026-11-28T22:00:00Z, the next time of this schedule in UTC");
  });

  it("know a deadline in words, and one under another name", () => {
    const [start] = remedies({ start: "soon", until: "2026-11-28T23:30:00Z", duration: "1h" });
    expect(start).toBe("write a time with its zone (RFC 3339), e.g. schedulingTime: 2026-11-28T22:00:00Z");
    expect(remedies({ schedulingTime: "soon", deadline: "tomorrow 6:00" })[1]).toBe(
      "write a time with its zone (RFC 3339), e.g. schedulingTime: 2026-11-28T22:00:00Z",
    );
  });

  it("are none where no start is early enough, and the deadline is told as well", () => {
    const told = remedies({ schedulingTime: "soon", deadline: "2026-11-28T21:30:00Z" });
    expect(told).toEqual([
      "omit schedulingTime: no start is early enough for the deadline",
      expect.stringMatching(/^choose a deadline of 2026-11-28T22:4/),
    ]);
  });

  it("are a deadline after the start that the object fixes", () => {
    const [deadline] = remedies({ deadline: "later", schedulingTime: "2026-12-09T03:30:00Z" });
    expect(deadline).toMatch(/e\.g\. deadline: 2026-12-10T06:00:00Z$/);
  });

  it.each([
    ["before the window", "2026-11-28T20:40:00Z", "2026-11-28T22:00:00Z", "2026-11-29T06:00:00Z"],
    ["in the window", "2026-11-28T23:30:00Z", "2026-11-29T22:00:00Z", "2026-11-30T06:00:00Z"],
    ["after midnight", "2026-11-29T01:00:00Z", "2026-11-29T22:00:00Z", "2026-11-30T06:00:00Z"],
  ])("of hours over midnight are those of one night: %s", (_is, now, start, end) => {
    const at = Date.parse(now) / 1000;
    const written = [
      { schedulingTime: "22:00", deadline: "06:00" },
      { notBefore: "22:00", notAfter: "06:00" },
      { window: "22:00-06:00" },
      { schedule: { start: "22:00", end: "06:00" } },
    ];
    for (const spec of written) {
      const told = remedies(spec, at).join("\n");
      expect(told).toContain(`schedulingTime: ${start}`);
      expect(told).toContain(`deadline: ${end}`);
    }
    expect(remedies({ schedulingTime: start, deadline: end }, at)).toEqual([]);
  });

  it("pass when they are written", () => {
    expect(remedies({ schedulingTime: "2026-11-28T22:00:00Z", deadline: "2026-12-24T18:00:00Z" })).toEqual([]);
  });

  it("lie ahead in every year", () => {
    const later = Date.parse("2031-05-01T10:00:00Z") / 1000;
    expect(remedies({ interruptible: true }, later)).toEqual([
      "write interruptible: {} and deadline: 2031-05-02T12:00:00Z; deadline is an example",
    ]);
    expect(remedies({ deadline: "2031-02-30T00:00:00Z" }, later)[0]).toMatch(/e\.g\. deadline: 2031-05-02T12:00:00Z$/);
  });
});
