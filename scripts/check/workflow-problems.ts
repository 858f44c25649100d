import { parse } from "yaml";
import { isObject } from "../../src/model/json.ts";

type Json = Record<string, unknown>;

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** `owner/repository@commit # v1.2.3`: the digest is what runs, the comment is what people and update bots read. */
const PINNED = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
const LOCAL = /uses: \.\//;

function unpinned(text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const wrong = /^\s*(- )?uses:/.test(line) && !PINNED.test(line.trimEnd()) && !LOCAL.test(line);
    return wrong ? [`line ${String(index + 1)}: pin the action as owner/name@<commit> # v1.2.3`] : [];
  });
}

const writes = (job: Json): boolean => Object.values(objectOf(job["permissions"])).includes("write");
const uses = (job: Json, action: string): Json[] =>
  listOf(job["steps"]).filter((step) => textOf(step["uses"]).startsWith(`${action}@`));

/** A job with rights runs after a push only; what it does for a pull request, it does without the pull request's code. */
function rightsProblems(name: string, job: Json): string[] {
  const condition = textOf(job["if"]);
  if (!isObject(job["permissions"])) return [`job ${name}: state its permissions`];
  if (!writes(job) || condition.includes("github.event_name == 'push'")) return [];
  if (!condition.includes("github.event.pull_request.head.repo.full_name == github.repository"))
    return [`job ${name}: it may write, so its condition has to leave out pull requests from forks`];
  const runsTheirs = uses(job, "actions/checkout").length > 0 || listOf(job["steps"]).some((step) => isLocal(step));
  return runsTheirs ? [`job ${name}: it may write, so it must not check out a pull request`] : [];
}

const isLocal = (step: Json): boolean => textOf(step["uses"]).startsWith("./");

function jobProblems(name: string, job: Json): string[] {
  const problems = rightsProblems(name, job);
  if (typeof job["timeout-minutes"] !== "number") problems.push(`job ${name}: set timeout-minutes`);
  if (uses(job, "actions/checkout").some((step) => objectOf(step["with"])["persist-credentials"] !== false))
    problems.push(`job ${name}: check out with persist-credentials: false`);
  for (const step of listOf(job["steps"]))
    if (textOf(step["run"]).includes("${{"))
      problems.push(`job ${name}: ${textOf(step["name"])}: expressions reach a shell through env only`);
  return problems;
}

/** What is wrong with a workflow besides what actionlint finds, one line each. */
export function workflowProblems(text: string): string[] {
  const workflow = objectOf(parse(text));
  const problems = unpinned(text);
  if (/pull_request_target/.test(text)) problems.push("pull_request_target gives rights to code from forks");
  if (/\bsecrets\./.test(text)) problems.push("no secrets: the job's own token and its permissions do");
  const permissions = workflow["permissions"];
  if (!isObject(permissions) || Object.keys(permissions).length > 0)
    problems.push("permissions: {} at the top, each job states its own");
  const jobs = Object.entries(objectOf(workflow["jobs"]));
  return [...problems, ...jobs.flatMap(([name, job]) => jobProblems(name, objectOf(job)))];
}

/** What is wrong with a composite action: it has no rights of its own, its actions are pinned all the same. */
export const actionProblems = (text: string): string[] => unpinned(text);
