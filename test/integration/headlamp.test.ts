import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { execa } from "execa";
import * as React from "react";
import * as ReactJSX from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decideAlone } from "../../src/admission/decide/decide.ts";
import { compactDecision } from "../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION } from "../../src/model/names.ts";
import { NOW, vm } from "../support/admission.ts";
import { loadPolicy } from "../support/load-policy.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Most bytes of the plugin, which Headlamp loads at its start. */
const MOST_BYTES = 300_000;

interface Kube {
  kind: string;
  jsonData: object;
}

interface Column {
  id?: string;
  getValue?: (item: Kube) => unknown;
  render?: (item: Kube) => React.ReactNode;
}

interface Registered {
  section: (props: { resource: Kube }) => React.ReactNode;
  columns: (args: { id: string; columns: (Column | string)[] }) => (Column | string)[];
}

let folder = "";
let registered: Registered;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-headlamp-"));
  await execa(process.execPath, [join(root, "scripts/headlamp.ts"), folder], { cwd: root });
  const found: Partial<Registered> = {};
  // What Headlamp gives to a plugin, which is one script.
  const pluginLib = {
    ...{ React, ReactJSX },
    CommonComponents: {
      SectionBox: ({ title, children }: { title: string; children: React.ReactNode }) => [title, children],
    },
    registerDetailsViewSection: (section: Registered["section"]) => {
      found.section = section;
    },
    registerResourceTableColumnsProcessor: ({ processor }: { processor: Registered["columns"] }) => {
      found.columns = processor;
    },
  };
  runInContext(
    await readFile(join(folder, "main.js"), "utf8"),
    createContext({ pluginLib, Intl, Date, setInterval, clearInterval }),
  );
  registered = found as Registered;
}, 120_000);

afterAll(() => rm(folder, { recursive: true }));

async function decided(): Promise<Kube> {
  const object = vm({ cpu: 2, memory: 4 }, { name: "web", namespace: "demo" });
  const decision = decideAlone({
    ...{ kind: "VmTemplate", object, policy: await loadPolicy(), nowSeconds: NOW, operation: "CREATE" },
    ...{ namespace: { name: "demo", labels: {}, annotations: {} }, relatedWorkloads: null },
  });
  const { placement } = decision;
  if (placement === null) throw new Error("it is allowed");
  const annotations = { [ANNOTATION.decision]: compactDecision({ decision, placement, held: false, moves: [] }) };
  return { kind: "VmTemplate", jsonData: { ...object, metadata: { ...object.metadata, annotations } } };
}

describe("the plugin for Headlamp", () => {
  it("is one script of a bounded size, with the name of the plugin", async () => {
    expect((await stat(join(folder, "main.js"))).size).toBeLessThan(MOST_BYTES);
    expect(JSON.parse(await readFile(join(folder, "package.json"), "utf8"))).toMatchObject({
      name: "landfall",
      main: "main.js",
    });
  });

  it("shows the decision of Landfall's kinds with the console's components, and nothing for others", async () => {
    const html = renderToStaticMarkup(registered.section({ resource: await decided() }));
    expect(html).toContain("Landfall&#x27;s decision");
    expect(html).toMatch(/Landfall chose <strong>\w+\/[\w-]+<\/strong>/);
    expect(html).toContain("USD/h");
    expect(html).toContain("How the rules narrowed the places");
    expect(registered.section({ resource: { kind: "Pod", jsonData: {} } })).toBe(null);
  });

  it("shows a tenant's text as text", () => {
    const script = "<script>alert(1)</script>";
    const object = vm({ cpu: 2, memory: 4 }, { name: "web", annotations: { [ANNOTATION.decision]: script } });
    const failed = { conditions: [{ type: "Failed", status: "True", reason: "Failed", message: script }] };
    const html = renderToStaticMarkup(
      registered.section({ resource: { kind: "VmTemplate", jsonData: { ...object, status: failed } } }),
    );
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toContain("<script>");
  });

  it("adds its columns to the tables of both kinds alone", async () => {
    const item = await decided();
    const columns = registered.columns({ id: "headlamp-vmtemplates", columns: ["name"] });
    const own = columns.filter((column): column is Column => typeof column !== "string");
    expect(own.map(({ id }) => id)).toEqual([
      "landfall-state",
      "landfall-place",
      "landfall-start",
      "landfall-carbon",
      "landfall-price",
    ]);
    const values = own.map(({ getValue }) => getValue?.(item));
    expect(values[1]).toMatch(/^\w+\/[\w-]+$/);
    expect(
      own.map(({ render }) => (render === undefined ? "" : renderToStaticMarkup(render(item)))).join(""),
    ).toContain("<time");
    expect(registered.columns({ id: "headlamp-kaasclusters", columns: [] }).length).toBe(own.length);
    expect(registered.columns({ id: "headlamp-pods", columns: ["name"] })).toEqual(["name"]);
  });
});
