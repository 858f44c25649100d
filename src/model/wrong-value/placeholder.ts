import { isObject } from "../json.ts";

/**
 * Variables of a shell, a pipeline or a template: `${X}`, `{{ x }}`, `$(X)`, `$X`, `%X%`, and those of CloudFormation: `AWS::Region`, or `!Ref X`
 * with its tag.
 */
const SYNTAX =
  /\$\{|\{\{|\$\(|^\$[A-Za-z_]\w{0,59}$|^%[A-Za-z_]\w{0,59}%$|^AWS::[A-Za-z]{1,40}$|^!(?:Ref|Sub|GetAtt|GetAZs|ImportValue|FindInMap|Join|Select|Split|If|vault|env|var|secret)(?: |$)/;

/** Notes of a person: `<region>`, `TODO`, `REPLACE_ME`, `your-region`, `subnet-xxxxxxxx`, `YYYY-MM-DD`. */
const WORDS =
  /^<[^<>]{1,60}>$|^(?:todo|tbd|fixme|changeme|(?:change|replace|fill)[-_ ](?:me|this)|replaceme|your[-_ ]?[a-z][\w -]{1,40}|insert[-_ ][\w -]{1,40}|(?:[a-z]{1,10}-)?x{3,32}|yyyy-mm-dd.{0,20})$/i;

/** Whether a text has the form of a variable or template that was not filled in. */
export const isUnfilled = (text: string): boolean => SYNTAX.test(text.trim());

/** Something that a template, a shell or a person should have filled in. */
export const isPlaceholder = (text: string): boolean => isUnfilled(text) || WORDS.test(text.trim());

/** Whether a user should have filled in a text of a field. In one that takes any word, only the form of a variable says so. */
export const isOpen = (text: string, isFree = false): boolean => (isFree ? isUnfilled(text) : isPlaceholder(text));

/** Whether a map is a function of CloudFormation in JSON, `{Fn::ImportValue: Subnet}` or `{Ref: Subnet}`, which nothing fills in here. */
export function isFunction(value: unknown): boolean {
  const [key, ...others] = isObject(value) ? Object.keys(value) : [];
  return key !== undefined && others.length === 0 && /^(?:Fn::[A-Za-z]{2,20}|Ref)$/.test(key);
}

/** The problem of such a text. */
export const UNFILLED = "is a placeholder that was not filled in";
