import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { globSync } from "node:fs";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import type { Job } from "../../../../../src/simulate/job.ts";
import { readWorkload } from "../../../../../src/simulate/read-workload.ts";
import { writeWorkload } from "../../../../../src/simulate/write-workload.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const JOB: Job = {
  ...{ id: "a", arrival: 1_646_121_600, cpu: 2, memory: 4, durationSeconds: 3600, deadline: 1_646_208_000 },
  ...{ maxLatencyMs: null, origin: "azure/italynorth", dataResidency: [] },
};
const ORIGINS = new Set([JOB.origin]);

/** What a spreadsheet runs. */
const FORMULA = /^[=+\-@\t\r]/;

describe("25: a workload file", () => {
  it.each(['=HYPERLINK("https://evil.example","jobs")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "'=1", 'a,"b"\nc'])(
    "keeps %j as text in a spreadsheet, and reads it back",
    (id) => {
      const text = writeWorkload([{ ...JOB, id }]);
      const cells = parse(text).flat();
      expect(cells.filter((cell) => FORMULA.test(cell))).toEqual([]);
      expect(readWorkload(text, "jobs.csv", ORIGINS)).toEqual([{ ...JOB, id }]);
    },
  );

  it("does so for any text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => {
        fc.pre(id.trim() === id && id !== "");
        const text = writeWorkload([{ ...JOB, id }]);
        expect(
          parse(text)
            .flat()
            .some((cell) => FORMULA.test(cell)),
        ).toBe(false);
        expect(readWorkload(text, "jobs.csv", ORIGINS)[0]?.id).toBe(id);
      }),
    );
  });
});

describe("25: temporary files", () => {
  it("have names that nobody can know before", async () => {
    const files = globSync("{src,webhook,scripts,bin}/**/*.{ts,js,hbs,sh}");
    expect(files.length).toBeGreaterThan(100);
    const fixed: string[] = [];
    for (const file of files) {
      const lines = (await readFile(join(process.cwd(), file), "utf8")).split("\n");
      // A path below the folder that all users share, unless it is made with a random part.
      fixed.push(...lines.filter((line) => /tmpdir\(\)|["'`]\/tmp\//.test(line) && !/mkdtemp|import /.test(line)));
    }
    expect(fixed).toEqual([]);
  });
});

describe("25: a denial", () => {
  it("names no places that others filled, but the one that was asked for", async () => {
    const policy = await loadPolicy();
    const full: LoadedBundle = {
      ...policy,
      evaluate(input) {
        const result = policy.evaluate(input);
        return { ...result, schedule: { ...result.schedule, budgets: { ...result.schedule.budgets, vcpus: 1 } } };
      },
    };
    const asked = (spec: object) => admit(create(vm({ cpu: 2, memory: 4, duration: "2h", ...spec })), context(full));
    const [open, pinned] = [asked({}), asked({ provider: "azure", schedulingLocation: "italynorth" })];
    if (open.allowed || pinned.allowed) throw new TypeError("it was allowed");
    expect([open.codes, pinned.codes]).toEqual([["PLACEMENT_BUDGET"], ["PLACEMENT_BUDGET"]]);
    expect(open.message).toContain("no capacity left for this in any place that its limits allow");
    expect(open.message).not.toMatch(/(azure|aws|gcp|elemento)\//);
    expect(pinned.message).toContain("azure/italynorth");
  });
});
