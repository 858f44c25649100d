import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../src/errors.ts";
import { generateWorkload, type WorkloadOptions } from "../../../src/simulate/generate-workload.ts";
import { readWorkload } from "../../../src/simulate/read-workload.ts";
import { writeWorkload } from "../../../src/simulate/write-workload.ts";

const OPTIONS: WorkloadOptions = {
  jobs: 200,
  seed: 7,
  durationHours: [1, 24],
  slackHours: [2, 168],
  latencyMs: [20, 80],
  residencyShare: 0.5,
  origins: [
    { place: "azure/italynorth", area: "EU" },
    { place: "gcp/europe-west2", area: "GDPR" },
  ],
  from: 1_640_995_200,
  to: 1_640_995_200 + 8759 * 3600,
};
const ORIGINS = new Set(OPTIONS.origins.map(({ place }) => place));
const HEAD = "id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency";
const LINE = "a,2022-03-01T08:00:00Z,2,4,3,2022-03-01T12:00:00Z,40,azure/italynorth,EU";

function codeOf(text: string): string {
  try {
    readWorkload(text, "jobs.csv", ORIGINS);
  } catch (thrown) {
    if (thrown instanceof LandfallError) return thrown.code;
    throw thrown;
  }
  return "none";
}

describe("the generator", () => {
  it("keeps to its ranges and gives the same jobs for the same seed", () => {
    const jobs = generateWorkload(OPTIONS);
    expect(jobs).toEqual(generateWorkload(OPTIONS));
    expect(jobs).not.toEqual(generateWorkload({ ...OPTIONS, seed: 8 }));
    for (const { arrival, deadline, durationSeconds, maxLatencyMs } of jobs) {
      const slack = (deadline - arrival - durationSeconds) / 3600;
      expect(slack >= 2 && slack <= 168 && durationSeconds >= 3600 && durationSeconds <= 86_400).toBe(true);
      expect((maxLatencyMs ?? 0) >= 20 && (maxLatencyMs ?? 0) <= 80).toBe(true);
      expect(arrival >= OPTIONS.from && deadline <= OPTIONS.to).toBe(true);
    }
  });

  it("writes what the reader reads", () => {
    const jobs = generateWorkload(OPTIONS);
    expect(readWorkload(writeWorkload(jobs), "jobs.csv", ORIGINS)).toEqual(jobs);
  });
});

describe("the reader", () => {
  it("reads column names regardless of case", () => {
    const [job] = readWorkload(`${HEAD.toLowerCase()}\n${LINE}\n`, "jobs.csv", ORIGINS);
    expect(job).toMatchObject({ maxLatencyMs: 40, dataResidency: ["EU"], durationSeconds: 10_800 });
  });

  it("reads columns in any order, and an empty field as no limit", () => {
    expect(readWorkload(`${HEAD}\n${LINE}\n`, "jobs.csv", ORIGINS)).toMatchObject([
      { id: "a", cpu: 2, durationSeconds: 10_800, maxLatencyMs: 40, dataResidency: ["EU"] },
    ]);
    const several = `${HEAD}\r\n${LINE.replace(/,EU$/, ',"EU,CH"').replace(",40,", ",,")}\r\n`;
    expect(readWorkload(several, "jobs.csv", ORIGINS)).toMatchObject([
      { maxLatencyMs: null, dataResidency: ["EU", "CH"] },
    ]);
    const short =
      "origin,id,arrival,deadline,cpu,memory,durationHours\nazure/italynorth,b,2022-03-01T08:00:00Z,2022-03-01T09:30:00Z,1,1,1.5\n";
    expect(readWorkload(short, "jobs.csv", ORIGINS)).toMatchObject([
      { id: "b", durationSeconds: 5400, maxLatencyMs: null, dataResidency: [] },
    ]);
  });

  it.each([
    ["an empty file", "", "SIM_COLUMN"],
    ["a missing column", "id,arrival\na,b\n", "SIM_COLUMN"],
    ["a header alone", `${HEAD}\n`, "SIM_EMPTY"],
    ["a negative cpu", `${HEAD}\n${LINE.replace(",2,4,", ",-2,4,")}\n`, "SIM_VALUE"],
    ["half a cpu", `${HEAD}\n${LINE.replace(",2,4,", ",0.5,4,")}\n`, "SIM_VALUE"],
    ["an infinite duration", `${HEAD}\n${LINE.replace(",3,", ",Infinity,")}\n`, "SIM_VALUE"],
    ["a bad date", `${HEAD}\n${LINE.replace("2022-03-01T08", "2022-02-30T08")}\n`, "SIM_VALUE"],
    ["a deadline before the end", `${HEAD}\n${LINE.replace("T12:00", "T10:59")}\n`, "SIM_DEADLINE"],
    ["an unknown origin", `${HEAD}\n${LINE.replace("italynorth", "atlantis")}\n`, "SIM_ORIGIN"],
    ["the same id twice", `${HEAD}\n${LINE}\n${LINE}\n`, "SIM_VALUE"],
    ["a short line", `${HEAD}\na,2022-03-01T08:00:00Z\n`, "SIM_VALUE"],
    ["a quote without an end", `${HEAD}\n"a,2022\n`, "SIM_FILE"],
  ])("refuses %s", (_name, text, code) => {
    expect(codeOf(text)).toBe(code);
  });
});
