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

/** A path or an address in place of the text itself. */
const ELSEWHERE =
  /^(?:\.{0,2}\/|~\/|file:|https?:|s3:|gs:|[A-Za-z]:\\)?[\w./~:@-]{1,300}\.(?:sh|ya?ml|txt|cfg|cloud|ps1|py)$/;

function correctionFor(text: string): string {
  if (ELSEWHERE.test(text.trim())) return "write the content of the file, as a text after |";
  if (BASE64.test(text)) return "write it as plain text, not as base64";
  if (CONFIG.test(text)) return "write the line #cloud-config before it";
  return "begin it with #cloud-config for a configuration, or with #!/bin/sh for a script";
}

/** Why cloud-init would ignore this user data; null if it would not. */
export function userDataProblem(userData: string): UserDataProblem | null {
  const text = userData.trimStart();
  if (KNOWN.test(text.toLowerCase())) return null;
  const detail = text === "" ? "is empty" : "begins with no line that cloud-init knows, so that nothing of it runs";
  return { detail, correction: text === "" ? "remove it" : correctionFor(text) };
}
