/** Variables of a shell, a pipeline or a template: `${X}`, `{{ x }}`, `$(X)`, `$X`, `%X%`. */
const SYNTAX = /\$\{|\{\{|\$\(|^\$[A-Za-z_]\w{0,59}$|^%[A-Za-z_]\w{0,59}%$/;

/** Notes of a person: `<region>`, `TODO`. */
const WORDS = /^<[^<>]{1,60}>$|^(?:todo|tbd|changeme|x{3,9})$/i;

/** Whether a text has the form of a variable or template that was not filled in. */
export const isUnfilled = (text: string): boolean => SYNTAX.test(text.trim());

/** Something that a template, a shell or a person should have filled in. */
export const isPlaceholder = (text: string): boolean => isUnfilled(text) || WORDS.test(text.trim());

/** The problem of such a text. */
export const UNFILLED = "is a placeholder that was not filled in";
