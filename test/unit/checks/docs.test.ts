import { describe, expect, it } from "vitest";
import { linkProblems, repositoryOf, unlistedPages } from "../../../scripts/docs/link-problems.ts";
import { navigation } from "../../../scripts/docs/navigation.ts";
import { readPage } from "../../../scripts/docs/read-pages.ts";
import { renderPage } from "../../../scripts/docs/render-page.ts";
import { searchIndex } from "../../../scripts/docs/search-index.ts";

const INDEX = readPage(
  "docs/README.md",
  "# Docs\n\n[text](guides/a.md)\n\n## Guides\n\n- [A](guides/a.md): first\n- [B](guides/b.md)\n",
);
const A = readPage("docs/guides/a.md", "# Page A\n\n## What it does\n\nwords\n\n## What it does\n\nmore\n");
const FILES = ["docs/README.md", "docs/guides/a.md", "src/admission/admit.ts", "src/admission/check/x.ts"];

function problemsOf(text: string): string[] {
  const page = readPage("docs/guides/b.md", text);
  return linkProblems(page, repositoryOf([...FILES, page.path], [INDEX, A, page]));
}

describe("the link check", () => {
  it.each([
    ["a page", "[a](a.md)"],
    ["an anchor", "[a](a.md#what-it-does)"],
    ["the second heading of the same text", "[a](a.md#what-it-does-1)"],
    ["an anchor of its own page", "# B\n\n[b](#b)"],
    ["a file and a folder of the code", "[code](../../src/admission/admit.ts), [folder](../../src/admission/)"],
    ["an address elsewhere", "[web](https://example.org/x.md#y)"],
    ["a path in backticks", "`src/admission/admit.ts`, `src/admission/`, `src/admission/admit.ts:12`"],
    ["a pattern in backticks", "`src/*/x.ts`, `charts/NAME/y.yaml`, `src/…`"],
    ["a file that the page has its reader write", "```ts file=src/new.ts\n1\n```\n\n`src/new.ts`"],
    ["a path below the folder of its section", "## Inside src/admission\n\n`admit.ts`, `check/`"],
    ["a path inside a block of code", "```\nsrc/nothing.ts\n```"],
  ])("accepts %s", (_, text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ["[a](gone.md)", "docs/guides/b.md:1 links to gone.md, which does not exist"],
    ["[a](a.md#gone)", "docs/guides/b.md:1 links to a.md#gone, but docs/guides/a.md has no heading with this anchor"],
    ["text\n\n`src/gone.ts`", "docs/guides/b.md:3 names src/gone.ts, which does not exist"],
    [
      "## Inside src/admission\n\n`check/`\n\n`gone.ts`",
      "docs/guides/b.md:5 names src/admission/gone.ts, which does not exist",
    ],
    [
      "## Inside src/admission\n\n`admit.ts`\n\n## Next\n\n`check/`",
      'docs/guides/b.md: its section "Inside src/admission" does not name check/',
    ],
    ["![picture](images/gone.svg)", "docs/guides/b.md:1 links to images/gone.svg, which does not exist"],
  ])("reports %s", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it("reports a page that is missing in the index", () => {
    const other = readPage("docs/guides/c.md", "# C");
    expect(unlistedPages(INDEX, [INDEX, A, other])).toEqual(["docs/README.md does not list docs/guides/c.md"]);
  });
});

describe("the site", () => {
  const targets = new Map([
    ["docs/README.md", "index.html"],
    ["docs/guides/a.md", "guides/a.html"],
    ["docs/guides/b.md", "guides/b.html"],
  ]);

  it("takes its navigation from the lists of the index page", () => {
    expect(navigation(INDEX)).toEqual([
      {
        title: "Guides",
        entries: [
          { title: "A", path: "docs/guides/a.md" },
          { title: "B", path: "docs/guides/b.md" },
        ],
      },
    ]);
  });

  it("links pages to each other, and shows the name of a missing file as text", () => {
    const page = readPage("docs/guides/b.md", "# B\n\n[a](a.md#what-it-does) [code](../../src/admission/admit.ts)");
    const html = renderPage(page, { sections: navigation(INDEX), targets, source: null });
    expect(html).toContain('<p><a href="a.html#what-it-does">a</a> code</p>');
    expect(html).toContain('<a href="b.html" aria-current="page">B</a>');
  });

  it("links to the repository if its address is set", () => {
    const page = readPage("docs/guides/b.md", "# B\n\n[code](../../src/admission/admit.ts)");
    const html = renderPage(page, { sections: [], targets, source: "https://example.org/blob/main" });
    expect(html).toContain('<a href="https://example.org/blob/main/src/admission/admit.ts">code</a>');
  });

  it("escapes the content of code blocks", () => {
    const page = readPage("docs/guides/b.md", "# B\n\n```\n<script>\n```");
    expect(renderPage(page, { sections: [], targets, source: null })).toContain("&lt;script&gt;");
  });

  it("has an entry in the search index for each heading", () => {
    const script = searchIndex([A], targets);
    for (const id of ["guides/a.html", "guides/a.html#what-it-does", "guides/a.html#what-it-does-1"])
      expect(script).toContain(`\\"${id}\\"`);
  });
});
