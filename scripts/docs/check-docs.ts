import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFiles } from "../list-files.ts";
import { buildSite } from "./build-site.ts";
import { linkProblems, repositoryOf, unlistedPages } from "./link-problems.ts";
import { readPages } from "./read-pages.ts";

const INDEX = "docs/README.md";
/** Templates of issues and pull requests link to pages by other rules, fixtures are not ours. */
const isPage = (path: string): boolean => path.endsWith(".md") && !/^(\.github|test\/fixtures)\//.test(path);

/** Links, anchors and paths of the documentation that lead nowhere, pages that nothing lists, and a site that does not build. */
export async function checkDocs(root: string): Promise<string[]> {
  const files = await listFiles(root);
  const pages = await readPages(root, files.filter(isPage));
  const repository = repositoryOf(files, pages);
  const problems = pages.flatMap((page) => linkProblems(page, repository));
  const index = repository.pages.get(INDEX);
  const unlisted = index === undefined ? [`${INDEX} is missing`] : unlistedPages(index, pages);
  const out = await mkdtemp(join(tmpdir(), "landfall-docs-"));
  try {
    await buildSite({ root, out, source: null });
  } finally {
    await rm(out, { recursive: true });
  }
  return [...problems, ...unlisted];
}
