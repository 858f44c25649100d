// The entry of the process that reads bundles which no one has verified, for a command. It ends after one answer.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { asLandfallError } from "../../errors.ts";
import { compareBundles } from "../compare-bundles.ts";
import { describeBundle } from "../describe-bundle.ts";
import type { Read, ReadAnswer } from "./read-apart.ts";

const answer = (message: ReadAnswer): void => {
  // Its sender ends this process.
  process.send?.([message]);
};

const [read] = (await once(process, "message")) as [Read];
try {
  const value =
    read.what === "description"
      ? await describeBundle(read.bundle.bytes, read.bundle.ref)
      : compareBundles(read.before, read.after);
  // Its sender ends this process by SIGKILL, and Node writes its compile cache only at a regular end.
  flushCompileCache();
  answer({ type: "value", value });
} catch (thrown) {
  const { code, params } = asLandfallError(thrown);
  answer({ type: "failed", code, params });
}
