import { create } from "xmlbuilder2";
import type { CaseResult } from "./policy-case.ts";

/** XML 1.0 does not allow other control characters, even escaped. */
// oxlint-disable-next-line no-control-regex
const printable = (text: string): string => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

/**
 * The results as JUnit XML for CI systems. `about` becomes the suite's properties, `explain` returns the text of a
 * failure.
 */
export function junitReport(
  results: readonly CaseResult[],
  about: Readonly<Record<string, string>>,
  explain: (result: CaseResult) => string,
): string {
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  const time = seconds(results.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
  const counts = { tests: String(results.length), failures: String(failed), errors: "0", time };
  const root = create({ version: "1.0", encoding: "UTF-8" }).ele("testsuites", counts);
  const suite = root.ele("testsuite", { name: "landfall test", ...counts });
  const properties = suite.ele("properties");
  for (const [name, value] of Object.entries(about)) properties.ele("property", { name, value: printable(value) });
  for (const result of results) {
    const { name, description } = result.case;
    const title = printable(description === "" ? name : description);
    const node = suite.ele("testcase", { classname: name, name: title, time: seconds(result.milliseconds) });
    if (result.mismatches.length === 0) continue;
    const message = `not as expected: ${result.mismatches.map(({ what }) => what).join(", ")}`;
    node.ele("failure", { message }).txt(printable(explain(result)));
  }
  return `${root.end({ prettyPrint: true })}\n`;
}
