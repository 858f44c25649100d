import { Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { releaseFrom } from "../../../src/cli/commands/bundle/release-options.ts";
import type { CatalogTables } from "../../../src/cli/commands/catalog/catalog-tables.ts";
import { givenOnce } from "../../../src/cli/options/given-once.ts";
import { repeated } from "../../../src/cli/options/repeated.ts";
import { amountOf, outputError, positive, share, whole } from "../../../src/flags/option-values.ts";
import { requirePlace } from "../../../src/cli/options/require-name.ts";
import { requireCatalog } from "../../../src/cli/options/require-catalog.ts";
import { readNow } from "../../../src/cli/options/decision-options.ts";
import { withOtherTools } from "../../../src/cli/options/other-tools.ts";
import { checkData } from "../../../src/cli/commands/bundle/check-data.ts";
import { archOf } from "../../../src/cli/commands/catalog/arch-of.ts";
import { requireProvider } from "../../../src/cli/commands/catalog/require-name.ts";

describe("options of a bundle's release", () => {
  it.each([
    [{ expires: "90d" }, "--expires needs --version: add e.g. --version 7"],
    [
      { version: "7", expires: "30" },
      "--expires 30 is neither a time (RFC 3339) nor a duration: write e.g. --expires 30d",
    ],
    [
      { version: "7", expires: "2020-01-01T00:00:00Z" },
      "--expires 2020-01-01T00:00:00Z is over: write e.g. --expires 90d",
    ],
    [{ channel: "prod" }, "--channel needs --version: add e.g. --version 7"],
    [{ version: "x" }, "--version x is not a whole number above 0"],
  ])("%o", (flags, says) => {
    expect(() => releaseFrom(flags)).toThrow(says);
  });
});

describe("a number with a unit", () => {
  it.each([
    ["16GB", "GiB", "expected a number above 0 in GiB: write 16."],
    ["512MB", "GiB", "expected a number above 0 in GiB: write 0.5."],
    ["30 ms", "ms", "expected a number above 0 in ms: write 30."],
    ["0.1s", "ms", "expected a number above 0 in ms: write 100."],
    ["lots", "GiB", "expected a number above 0 in GiB, e.g. 10."],
    ["ten", null, "expected a number above 0, e.g. 10."],
  ] as const)("%s of %s", (text, unit, says) => {
    expect(() => amountOf(unit)(text)).toThrow(says);
    expect(amountOf(unit)("2.5")).toBe(2.5);
  });
});

describe("an option that is given twice", () => {
  const run = (...args: readonly string[]): string => {
    let text = "";
    const write = (line: string): void => {
      text += line;
    };
    const command = new Command("places")
      .exitOverride()
      .configureOutput({ writeErr: write, outputError })
      .option("--of <place>", "a place")
      .option("--memory <GiB>", "memory", amountOf("GiB"))
      .option("-f, --file <file>", "files", repeated)
      .option("--all", "all");
    givenOnce(command);
    try {
      command.parse([...args], { from: "user" });
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(CommanderError);
    }
    return text;
  };

  it("is refused, where only the last value would count", () => {
    expect(run("--of", "a/b", "--of", "c/d")).toBe(
      "error: option '--of <place>' is given twice, as a/b and c/d: write it once; see --help [CLI_USAGE]\n",
    );
    expect(run("--of", "a/b", "--of", "a/b", "-f", "a", "-f", "b", "--all", "--all")).toBe("");
  });

  it("and a number with a unit get one sentence", () => {
    expect(run("--memory", "16GB")).toBe(
      "error: option '--memory <GiB>' argument '16GB' is invalid. expected a number above 0 in GiB: write 16; see --help [CLI_USAGE]\n",
    );
  });
});

it.each([
  ["2026-11-21 09:00", "write --now 2026-11-21T09:00:00Z"],
  ["1799000000", "write --now 2027-01-03T18:13:20Z"],
  ["now", "omit it for now"],
  ["soon", "write e.g. --now 2026-12-31T18:00:00Z"],
])("--now %s is told as %s", (now, advice) => {
  expect(() => readNow({ now })).toThrow(
    expect.objectContaining({ code: "CLI_USAGE", params: { detail: expect.stringContaining(advice) as string } }),
  );
});

describe("a catalog that is not there", () => {
  it.each([
    ["no-such-folder", "there is no such folder"],
    ["docs", "it has no places.json"],
  ])("%s", async (folder, detail) => {
    await expect(requireCatalog(folder)).rejects.toMatchObject({ code: "CLI_INPUT", params: { detail } });
    await expect(requireCatalog("catalog")).resolves.toBeUndefined();
  });
});

it.each([
  ["x86", "--arch amd64"],
  ["aarch64", "--arch arm64"],
  ["mips", "amd64 or arm64"],
])("--arch %s", (actual, advice) => {
  expect(() => archOf(actual)).toThrow(
    expect.objectContaining({ code: "CLI_UNKNOWN_NAME", params: expect.objectContaining({ advice }) as object }),
  );
  expect(archOf("arm64")).toBe("arm64");
});

it.each([
  ["unknown option '--format'\n(Did you mean --forecast?)", "unknown option '--format': write -o json or -o yaml"],
  ["unknown option '--json'", "unknown option '--json': write -o json or -o yaml"],
  ["unknown option '--filename'\n(Did you mean --file?)", "unknown option '--filename': write -f"],
  ["unknown option '--filename=a.yaml'", "unknown option '--filename': write -f"],
  [
    "unknown command 'kops'\n(Did you mean keys?)",
    "unknown command 'kops': write landfall import kops or landfall export kops",
  ],
  ["unknown command 'explian'\n(Did you mean explain?)", "unknown command 'explian'\n(Did you mean explain?)"],
  ["unknown option '-n'", "unknown option '-n': write metadata.namespace in the file"],
  ["unknown option '--fil'\n(Did you mean --file?)", "unknown option '--fil'\n(Did you mean --file?)"],
  ["unknown option '--formatted'", "unknown option '--formatted'"],
])("%s", (text, says) => {
  expect(withOtherTools(text)).toBe(says);
});

it.each([
  ["places", "--origin", "write --of for round trips from a place"],
  ["types", "--type", "pipe the output through grep"],
  ["types", "--vcpus", "write --cpu"],
  ["explain", "--type", "write instanceType in the object's spec"],
])("landfall %s %s is answered for that command", (command, option, says) => {
  expect(withOtherTools(`unknown option '${option}'`, command)).toBe(`unknown option '${option}': ${says}`);
});

it.each([
  ["price", "--data prices"],
  ["no-such-folder", "one of carbon, latency, prices, or a folder"],
])("--data %s", async (actual, advice) => {
  await expect(checkData(actual)).rejects.toMatchObject({ code: "CLI_UNKNOWN_NAME", params: { actual, advice } });
  await expect(checkData("prices")).resolves.toBeUndefined();
});

it.each<[string, (text: string) => unknown, string]>([
  ["4 cores", whole(1, 100), "expected a whole number from 1 to 100: write 4."],
  ["many", whole(1, 100), "expected a whole number from 1 to 100, e.g. 10."],
  ["many", whole(0, 4), "expected a whole number from 0 to 4, e.g. 4."],
  ["many", positive, "expected a number above 0, e.g. 10."],
  ["50%", share, "expected a number from 0 to 1: write 0.5 for 50 percent."],
  ["20", share, "expected a number from 0 to 1: write 0.2 for 20 percent."],
  ["half", share, "expected a number from 0 to 1, e.g. 0.5."],
  ["10%", whole(0, 100), "expected a whole number from 0 to 100: write 10."],
])("%s for a number says what to write", (text, parse, says) => {
  expect(() => parse(text)).toThrow(says);
});

it.each([
  ["milan", "azure/italynorth or aws/eu-south-1"],
  ["aws/milan", "aws/eu-south-1"],
  ["italynorth", "azure/italynorth"],
  ["azure/itlaynorth", "azure/italynorth"],
  ["nowhere", "provider/region, e.g. azure/italynorth"],
])("--origin %s names the option, and %s", (actual, advice) => {
  const names = ["azure/italynorth", "aws/eu-south-1"];
  expect(() => {
    requirePlace([...names, ...Array.from({ length: 20 }, (_, index) => `gcp/r${String(index)}`)], "--origin", actual);
  }).toThrow(
    expect.objectContaining({ params: expect.objectContaining({ option: "--origin", actual, advice }) as object }),
  );
});

describe("--provider", () => {
  const tables = { places: ["aws", "azure", "gcp"].map((provider) => ({ provider })) } as unknown as CatalogTables;

  it.each([
    ["google", "gcp"],
    ["GCE", "gcp"],
    ["Azur", "azure"],
    ["aws,gcp", "--provider aws --provider gcp"],
    ["AWS; google", "--provider aws --provider gcp"],
  ])("%s names %s", (actual, provider) => {
    expect(() => {
      requireProvider(tables, actual);
    }).toThrow(expect.objectContaining({ params: expect.objectContaining({ advice: provider }) as object }));
    expect(() => {
      for (const name of provider.replaceAll("--provider ", "").split(" ")) requireProvider(tables, name);
    }).not.toThrow();
  });
});
