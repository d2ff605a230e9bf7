/** One step of a CEL expression into an object: `.labels` or `["example.com/team"]`. */
export interface CelAccess {
  /** What is stepped into: `object.metadata.labels`, however its steps are written. */
  readonly base: string;
  /** The field or key. */
  readonly key: string;
  /** `field` for `.x`, `key` for `["x"]`, `call` for a method or the operator `in`. */
  readonly by: 'field' | 'key' | 'call';
  /** Whether the step, or one before it, is optional (`.?x`, `[?"x"]`): then an absent value is no error. */
  readonly optional: boolean;
  /** Whether a step before it is optional: then an absent base is no error either. */
  readonly baseOptional: boolean;
}

/** What can be read from the text of a CEL expression without evaluating it. */
export interface CelReading {
  /** The variables that chains of accesses start from: `object`, `request`. */
  readonly roots: ReadonlySet<string>;
  /** Every access. */
  readonly accesses: readonly CelAccess[];
  /** Chains that are asked for, with `has()` or `.?x.hasValue()`. */
  readonly asked: ReadonlySet<string>;
  /**
   * Chains that are asked for a key, with `"key" in chain`, `chain.exists(k, k == "key")` or `chain[?"key"].hasValue()`, each
   * with the keys.
   */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Chains that are compared with null, or whose type is, and those that `optional.ofNonZeroValue()` is asked about. */
  readonly testedForNull: ReadonlySet<string>;
  /** Variables that are used as a whole in another way: given to a function, compared, chosen by a condition. */
  readonly wholes: ReadonlySet<string>;
}

/** A text that does not end goes to the end of all, so that reading takes time in proportion. */
const token =
  /\s+|\/\/[^\n]*|(?<text>[rR]?(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)))|(?<name>[A-Za-z_]\w*)|(?<number>\d[\w.]*)|(?<sign>==|!=|&&|\|\||\.\?|\[\?|.)/gs;

interface Token {
  readonly kind: 'text' | 'name' | 'number' | 'sign';
  /** A name, a sign, or a text without its quotes. */
  readonly value: string;
}

function tokens(expression: string): Token[] {
  const found: Token[] = [];
  for (const { groups = {} } of expression.matchAll(token)) {
    if (groups.text !== undefined) {
      found.push({ kind: 'text', value: groups.text.replace(/^[rR]/, '').slice(1, -1) });
    } else if (groups.name !== undefined) {
      found.push({ kind: 'name', value: groups.name });
    } else if (groups.number !== undefined) {
      found.push({ kind: 'number', value: groups.number });
    } else if (groups.sign !== undefined) {
      found.push({ kind: 'sign', value: groups.sign });
    }
  }
  return found;
}

/**
 * Longer chains are read up to there. Every step is kept with the whole text before it, so the memory grows with the
 * square; API servers refuse expressions that nest much less deep.
 */
const mostSteps = 250;

interface Chain {
  readonly root: string;
  readonly text: string;
  readonly steps: readonly CelAccess[];
  /** The position after the chain. */
  readonly end: number;
}

/** The chain of accesses that starts with the name at a position: a variable, or a field of some other expression. */
function chainAt(all: readonly Token[], start: number): Chain {
  const ofExpression = ['.', '.?'].includes(all[start - 1]?.value ?? '') && all[start - 1]?.kind === 'sign';
  const root = ofExpression ? `(…).${all[start]!.value}` : all[start]!.value;
  const steps: CelAccess[] = [];
  let text = root;
  let optional = false;
  let at = start + 1;
  for (;;) {
    const [opening, inner, closing] = [all[at], all[at + 1], all[at + 2]];
    if (opening?.kind !== 'sign' || inner === undefined) {
      break;
    }
    const byField = (opening.value === '.' || opening.value === '.?') && inner.kind === 'name';
    const byKey =
      (opening.value === '[' || opening.value === '[?') && inner.kind === 'text' && closing?.value === ']';
    if (!byField && !byKey) {
      break;
    }
    const baseOptional = optional;
    optional ||= opening.value.endsWith('?');
    const call = byField && closing?.kind === 'sign' && closing.value === '(';
    const by = byKey ? 'key' : call ? 'call' : 'field';
    if (steps.length < mostSteps) {
      steps.push({ base: text, key: inner.value, by, optional, baseOptional });
    }
    at += byKey ? 3 : 2;
    if (call) {
      break;
    }
    text += /^\w+$/.test(inner.value) ? `.${inner.value}` : `["${inner.value}"]`;
  }
  return { root, text, steps, end: at };
}

/** The key of `chain.exists(k, k == "key")`, which says the same as `"key" in chain`. */
function soughtKey(all: readonly Token[], { steps, end }: Chain): string | undefined {
  const last = steps.at(-1);
  if (last?.by !== 'call' || (last.key !== 'exists' && last.key !== 'exists_one')) {
    return undefined;
  }
  const [open, name, comma, one, sign, other] = all.slice(end, end + 6);
  const isBound =
    open?.value === '(' && name?.kind === 'name' && comma?.value === ',' && sign?.value === '==';
  const [variable, text] = one?.kind === 'text' ? [other, one] : [one, other];
  return isBound && variable?.kind === 'name' && variable.value === name.value && text?.kind === 'text'
    ? text.value
    : undefined;
}

/** Whether a chain is a guard against null, or a variable that is used as a whole. */
function useOf(all: readonly Token[], start: number, { steps, end }: Chain): 'tested' | 'whole' | undefined {
  let [before, after] = [start - 1, end];
  const calledBy = (): string | undefined => {
    const [open, name] = [all[before], all[before - 1]];
    const isAlone = open?.kind === 'sign' && open.value === '(' && all[after]?.value === ')';
    return isAlone ? (name?.kind === 'name' && name.value !== 'in' ? name.value : '') : undefined;
  };
  let caller = calledBy();
  // Neither parentheses nor dyn() change a value, and its type is compared as well.
  for (; caller === '' || caller === 'dyn' || caller === 'type'; caller = calledBy()) {
    before -= caller === '' ? 1 : 2;
    after += 1;
  }
  const isNull = (token: Token | undefined): boolean => /^null(?:_type)?$/.test(token?.value ?? '');
  const isEquals = (token: Token | undefined): boolean => /^[!=]=$/.test(token?.value ?? '');
  if (
    caller === 'ofNonZeroValue' ||
    (isEquals(all[after]) && (isNull(all[after + 1]) || isTypeOfNull(all.slice(after + 1, after + 5)))) ||
    (isEquals(all[before]) && isNull(all[before - 1]))
  ) {
    return 'tested';
  }
  const isStepped = all[after]?.kind === 'sign' && /^[.[]/.test(all[after]?.value ?? '');
  return steps.length === 0 && !isStepped ? 'whole' : undefined;
}

function isTypeOfNull(all: readonly Token[]): boolean {
  return all.map(({ value }) => value).join('') === 'type(null)';
}

/** Reads CEL expressions that are evaluated together, as the match conditions of one webhook are. */
export function readCel(expressions: readonly string[]): CelReading {
  const roots = new Set<string>();
  const accesses: CelAccess[] = [];
  const asked = new Set<string>();
  const members = new Map<string, Set<string>>();
  const testedForNull = new Set<string>();
  const wholes = new Set<string>();
  for (const expression of expressions) {
    const all = tokens(expression);
    let at = 0;
    while (at < all.length) {
      if (all[at]!.kind !== 'name' || all[at]!.value === 'in') {
        at += 1;
        continue;
      }
      const chain = chainAt(all, at);
      const insideHas =
        all[at - 1]?.value === '(' && all[at - 2]?.value === 'has' && all[chain.end]?.value === ')';
      const key =
        all[at - 1]?.value === 'in' && all[at - 2]?.kind === 'text' ? all[at - 2]!.value : undefined;
      if (chain.root === all[at]!.value) {
        roots.add(chain.root);
      }
      accesses.push(...chain.steps);
      if (insideHas) {
        asked.add(chain.text);
      }
      if (key !== undefined) {
        members.set(chain.text, (members.get(chain.text) ?? new Set()).add(key));
        const optional = chain.steps.some((step) => step.optional);
        accesses.push({ base: chain.text, key, by: 'call', optional, baseOptional: optional });
      }
      const sought = soughtKey(all, chain);
      if (sought !== undefined) {
        members.set(chain.text, (members.get(chain.text) ?? new Set()).add(sought));
      }
      const [asking, step] = [chain.steps.at(-1), chain.steps.at(-2)];
      if (asking?.by === 'call' && asking.key === 'hasValue' && step?.optional === true) {
        asked.add(chain.text);
        members.set(step.base, (members.get(step.base) ?? new Set()).add(step.key));
      }
      const use = useOf(all, at, chain);
      if (use !== undefined) {
        (use === 'tested' ? testedForNull : wholes).add(chain.text);
      }
      at = chain.end;
    }
  }
  return { roots, accesses, asked, members, testedForNull, wholes };
}

/**
 * Data in CEL's syntax, which has that of JSON, but for values of several types in one map.
 *
 * @param value plain data
 */
export function celText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: dyn(${celText(each)})`);
  return `{${fields.join(', ')}}`;
}

/**
 * The condition that a request comes from a service account.
 *
 * @param namespace of the service account
 * @param name of the service account
 */
export function isServiceAccount(namespace: string, name: string): string {
  return `request.userInfo.username == ${celText(`system:serviceaccount:${namespace}:${name}`)}`;
}

/**
 * Whether two objects or maps are equal but for some keys. Either may have keys that the other has not.
 *
 * @param keys that may differ
 * @param now expression of one
 * @param before expression of the other
 */
export function equalBut(keys: readonly string[], now: string, before: string): string {
  const oneWay = (one: string, other: string, compare: boolean) =>
    `dyn(${one}).all(k, k in ${celText(keys)} || (k in dyn(${other})${compare ? ` && dyn(${one})[k] == dyn(${other})[k]` : ''}))`;
  return `${oneWay(now, before, true)} && ${oneWay(before, now, false)}`;
}

/** What the API server itself changes of an object's metadata with a write. */
export const serverFields: readonly string[] = ['resourceVersion', 'generation', 'managedFields'];
