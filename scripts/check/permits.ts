type Term = (allowed: ReadonlySet<string>) => boolean;

/** Identifiers, `WITH` and its exception included, operators and parentheses; null for a text with anything else. */
function tokensOf(expression: string): string[] | null {
  const tokens = expression.match(/[()]|[A-Za-z0-9.:+-]+/g) ?? [];
  return tokens.join("") === expression.replaceAll(/\s/g, "") ? tokens : null;
}

const OPERATORS = new Set(["AND", "OR", "WITH", "(", ")"]);

/** Reads `tokens` from the front; what is read is removed. Null for an expression that is not valid. */
function readSimple(tokens: string[]): Term | null {
  const first = tokens.shift();
  if (first === "(") {
    const inner = readOr(tokens);
    return tokens.shift() === ")" ? inner : null;
  }
  if (first === undefined || OPERATORS.has(first)) return null;
  if (tokens[0] !== "WITH") return (allowed) => allowed.has(first);
  const [, exception = ")"] = tokens.splice(0, 2);
  return OPERATORS.has(exception) ? null : (allowed) => allowed.has(`${first} WITH ${exception}`);
}

/** Terms with this operator between them. */
function readSeveral(tokens: string[], operator: string, read: (tokens: string[]) => Term | null): Term[] | null {
  const terms: Term[] = [];
  for (;;) {
    const term = read(tokens);
    if (term === null) return null;
    terms.push(term);
    if (tokens[0] !== operator) return terms;
    tokens.shift();
  }
}

function readAnd(tokens: string[]): Term | null {
  const terms = readSeveral(tokens, "AND", readSimple);
  return terms && ((allowed) => terms.every((term) => term(allowed)));
}

function readOr(tokens: string[]): Term | null {
  const terms = readSeveral(tokens, "OR", readAnd);
  return terms && ((allowed) => terms.some((term) => term(allowed)));
}

/**
 * Whether an SPDX expression can be met with the allowed licences alone: AND needs all of its terms, OR one, and AND binds before OR.
 * An exception (`WITH`) is allowed only if the list has both together. False for an expression that is not valid.
 */
export function permits(expression: string, allowed: ReadonlySet<string>): boolean {
  const tokens = tokensOf(expression);
  if (tokens === null) return false;
  const term = readOr(tokens);
  return term !== null && tokens.length === 0 && term(allowed);
}
