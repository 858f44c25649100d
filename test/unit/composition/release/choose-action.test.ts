import { expect, it } from "vitest";
import { chooseAction } from "../../../../src/composition/release/choose-action.ts";
import type { Revision } from "../../../../src/composition/helm/release-storage.ts";

const NOW = 1_000_000;
const revision = (status: Revision["status"], more: Partial<Revision> = {}): Revision => ({
  secret: "sh.helm.release.v1.a.v1",
  revision: 1,
  status,
  labels: { "landfall.dev/inputs": "same", "landfall.dev/awaited": "none" },
  createdAt: NOW - 60,
  ...more,
});
const choose = (revisions: Revision[], more: Partial<Parameters<typeof chooseAction>[0]> = {}) =>
  chooseAction({ revisions, inputs: "same", awaited: null, drift: null, nowSeconds: NOW, ...more });

it.each<[string, ReturnType<typeof choose>, object]>([
  ["nothing installed yet", choose([]), { do: "install" }],
  ["installed and unchanged", choose([revision("deployed")]), { do: "nothing" }],
  [
    "values changed",
    choose([revision("deployed")], { inputs: "other" }),
    { do: "upgrade", reason: "values or chart changed" },
  ],
  [
    "a release of Krateo's",
    choose([revision("deployed", { labels: {} })]),
    { do: "upgrade", reason: "values or chart changed" },
  ],
  ["drift", choose([revision("deployed")], { drift: "spec.x of A b" }), { do: "upgrade", reason: "spec.x of A b" }],
  [
    "an awaited value came",
    choose([revision("deployed")], { awaited: "abc" }),
    { do: "upgrade", reason: "an awaited value is available" },
  ],
  [
    "an awaited value is in already",
    choose([revision("deployed", { labels: { "landfall.dev/inputs": "same", "landfall.dev/awaited": "abc" } })], {
      awaited: "abc",
    }),
    { do: "nothing" },
  ],
  ["the last try failed", choose([revision("failed")]), { do: "upgrade", reason: "the last revision is failed" }],
  ["helm may still run", choose([revision("pending-install", { createdAt: NOW - 5 })]), { do: "wait", ms: 10_000 }],
  [
    "helm was ended in the middle",
    choose([revision("pending-upgrade")]),
    { do: "recover", secret: "sh.helm.release.v1.a.v1" },
  ],
])("%s", (_, action, expected) => {
  expect(action).toEqual(expected);
});
