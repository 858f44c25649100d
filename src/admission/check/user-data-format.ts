/** The problem of user data that cloud-init does not run, and its correction. */
interface UserDataProblem {
  detail: string;
  correction: string;
}

/**
 * First lines by which cloud-init knows what to do (docs.cloud-init.io, user data formats), in lower case; it skips spaces before them. Anything
 * else is logged and not run.
 */
const KNOWN =
  /^(?:#!|#cloud-config|#include|#cloud-boothook|#part-handler|#upstart-job|## template:|content-type:|mime-version:)/;
/** `#`, a gzip archive, and what begins a MIME message, in base64. */
const BASE64 = /^(?:I2|IyE|H4sI|Q29udGVudC|TUlNR)[A-Za-z0-9+/=\s]*$/;
/** Keys of cloud-config that stand in most files. */
const CONFIG =
  /^(?:package|runcmd|bootcmd|write_files|users|ssh_|hostname|timezone|apt|ntp|disk_setup|fs_setup|mounts|swap|chpasswd)\w{0,60}:/m;

/** An interpreter, and what a script gives it at most, as in `#!/usr/bin/env -S bash -e`. */
const SHEBANG_WORDS = 4;

/**
 * Whether its lines were joined, as YAML does after `>`: the rest of `#cloud-config` is a comment then, and the commands of a script are
 * arguments of its interpreter.
 */
function isJoined(text: string): boolean {
  const end = text.indexOf("\n");
  const first = (end < 0 ? text : text.slice(0, end)).slice(0, 1000);
  const [begin = "", ...words] = first.trim().split(/\s+/);
  if (begin === "#cloud-config") return words[0]?.startsWith("#") === false;
  const isAlone = end < 0 || text.slice(end).trim() === "";
  return begin.startsWith("#!") && words.length >= (isAlone ? 2 : SHEBANG_WORDS);
}

/** A path or an address in place of the text itself. */
const ELSEWHERE =
  /^(?:\.{0,2}\/|~\/|file:|https?:|s3:|gs:|[A-Za-z]:\\)?[\w./~:@-]{1,300}\.(?:sh|ya?ml|txt|cfg|cloud|ps1|py)$/;
/** The ways to read a file elsewhere: functions of Terraform, `$(cat init.sh)` of a shell, `{{ .Files.Get "init.sh" }}` of Helm. */
const READS_FILE =
  /^(?:\$\{)?\s{0,3}(?:base64encode\(|base64gzip\()?(?:templatefile|filebase64|file)\(|^\$\((?:cat|<) |^\{\{.{0,80}\bFiles\b/;

/** Any value without a line break was not written after `|`. */
const ONE_LINE =
  "put | after userData:, and below it, indented, the script with #!/bin/sh as its first line: without |, # begins a comment in YAML, and lines are joined";

function correctionFor(text: string): string {
  if (ELSEWHERE.test(text.trim()) || READS_FILE.test(text)) return "write the content of the file, as a text after |";
  if (BASE64.test(text)) return "write it as plain text, not as base64";
  if (CONFIG.test(text)) return "write the line #cloud-config before it";
  if (!text.includes("\n")) return ONE_LINE;
  return "begin it with #cloud-config for a configuration, or with #!/bin/sh for a script";
}

/** Why cloud-init would ignore this user data; null if it would not. */
export function userDataProblem(userData: string): UserDataProblem | null {
  const text = userData.trimStart();
  if (isJoined(text))
    return {
      detail: "has more than its first line should have, so that it does not run as meant",
      correction: "write it after | in place of >, which joins lines",
    };
  if (KNOWN.test(text.toLowerCase())) return null;
  const detail = text === "" ? "is empty" : "begins with no line that cloud-init knows, so that nothing of it runs";
  return { detail, correction: text === "" ? "remove it" : correctionFor(text) };
}
