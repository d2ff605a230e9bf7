import { nearKey } from '../validation/known-keys';
import { goTokens } from './go-tokens';
import type { Token } from './go-tokens';
import { checkCharacter, checkNumber, unquoted } from './go-literals';
import { removedFunctions, templateFunctions, withoutArguments } from './template-functions';

/** A field that a Go template reads of the parameters. */
export interface GoField {
  /** Names on the way to it: `['metadata', 'labels']`. */
  readonly names: readonly string[];
  /** Whether it is read whatever the parameters are: it is in no branch. */
  readonly isSure: boolean;
  /** Whether the action writes it, maybe through functions other than those that fill in for what is not there. */
  readonly isWritten: boolean;
}

/** What a Go template says, or what is wrong with it. */
export interface GoTemplate {
  /** Why Argo CD refuses it, whatever the parameters are. @default - it does not */
  readonly fault?: string;
  /**
   * The fields of the parameters that it reads; none where it is wrong. What stands for something else is left out: fields
   * of variables and of a dot that `with`, `range` or `define` has changed, quoted text, comments; and fields that the
   * template looks for by name, such as with `hasKey`.
   */
  readonly fields: readonly GoField[];
  /** What stands outside of template expressions, put together. */
  readonly literal: string;
}

/** Deeper ones are taken for right: Go reads 10,000 parentheses in one another, which no person writes. */
const deepest = 200;

/**
 * Reads a Go template as the controller of ApplicationSets does. It takes time by the length of the text, and throws nothing,
 * whatever the text is.
 *
 * @see https://pkg.go.dev/text/template
 * @see https://github.com/golang/go/blob/go1.25.0/src/text/template/parse/parse.go
 */
export function readGoTemplate(text: string): GoTemplate {
  const tokens = goTokens(text);
  const literal = tokens
    .filter(({ kind }) => kind === 'text')
    .map((each) => each.text)
    .join('');
  const parser = new Parser(text, tokens);
  try {
    parser.template();
  } catch (error) {
    if (error instanceof TooDeep) {
      return { fields: [], literal };
    }
    if (error instanceof Fault) {
      return { fault: error.message, fields: [], literal };
    }
    throw error;
  }
  const { fault } = parser;
  return { ...(fault === undefined ? {} : { fault }), fields: parser.fields(), literal };
}

class Fault extends Error {}

class TooDeep extends Error {}

/** What `.` and `$` are in a part of a template. */
interface Scope {
  readonly isDotParameters: boolean;
  readonly isRootParameters: boolean;
  /** Whether it is executed whatever the parameters are. */
  readonly isSure: boolean;
  readonly ranges: number;
  readonly depth: number;
}

/** What ended a list of actions. */
type Ending = 'end' | 'else' | 'else if' | 'else with' | 'eof';

/** What is known of an operand that a command begins with. */
type Operand = 'function' | 'field' | 'fieldOfOther' | 'value';

/** A field, and whether the action that it is in writes it. */
interface ReadField {
  readonly names: readonly string[];
  readonly isSure: boolean;
  isWritten: boolean;
}

const filling = new Set(['default', 'coalesce', 'empty', 'ternary', 'kindIs', 'typeIs', 'toJson']);

class Parser {
  /** What fails when it is executed, whatever the parameters are. */
  public fault: string | undefined;
  private readonly read: ReadField[] = [];
  private readonly quoted = new Set<string>();
  private readonly defined = new Set<string>();
  private readonly used: { readonly name: string; readonly token: Token }[] = [];
  private variables = new Variables();
  private at = 0;
  private parens = 0;
  /** Fills in for what is not there, somewhere in the action. */
  private isFilled = false;

  public constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
  ) {}

  public fields(): readonly GoField[] {
    return this.fault === undefined
      ? this.read.filter(({ names }) => !names.some((name) => this.quoted.has(name)))
      : [];
  }

  public template(): void {
    const scope = { isDotParameters: true, isRootParameters: true, isSure: true, ranges: 0, depth: 0 };
    const ending = this.list(scope, true);
    if (ending !== 'eof') {
      this.fails(`unexpected {{${ending}}}`);
    }
    const missing = this.used.find(({ name }) => !this.defined.has(name));
    if (missing) {
      this.fault ??= `template "${missing.name}" is not defined${this.place(missing.token)}`;
    }
  }

  /** Texts and actions up to `end`, `else` or the end of the text. */
  private list(scope: Scope, isTop = false): Ending {
    if (scope.depth > deepest) {
      throw new TooDeep();
    }
    for (;;) {
      const token = this.next();
      if (token.kind === 'eof') {
        return 'eof';
      }
      if (token.kind !== 'text') {
        const ending = token.kind === 'open' ? this.action(scope, isTop) : this.unexpected(token, 'input');
        if (ending !== undefined) {
          return ending;
        }
      }
    }
  }

  private action(scope: Scope, isTop: boolean): Ending | undefined {
    const token = this.nextNonSpace();
    if (token.kind !== 'keyword' || (token.text === 'define' && !isTop)) {
      this.at--;
      this.written(scope);
      return undefined;
    }
    switch (token.text) {
      case 'end':
        this.expectClose('end');
        return 'end';
      case 'else': {
        const after = this.peekNonSpace();
        if (after.kind === 'keyword' && (after.text === 'if' || after.text === 'with')) {
          return `else ${after.text}`;
        }
        this.expectClose('else');
        return 'else';
      }
      case 'if':
      case 'with':
      case 'range':
        this.control(token.text, token, scope);
        return undefined;
      case 'define':
      case 'block':
        this.definition(token.text, token, scope);
        return undefined;
      case 'template':
        this.call(scope);
        return undefined;
      default:
        this.expectClose(`{{${token.text}}}`);
        if (scope.ranges === 0) {
          this.fails(`{{${token.text}}} outside {{range}}`);
        }
        return undefined;
    }
  }

  private written(scope: Scope): void {
    const from = this.read.length;
    this.isFilled = false;
    const isField = this.pipeline('command', 'close', scope);
    if (isField && !this.isFilled && scope.isSure && this.read[from]) {
      this.read[from].isWritten = true;
    }
  }

  /** `if`, `with` or `range`, up to its `end`; chains of `else if` are one loop. */
  private control(keyword: 'if' | 'with' | 'range', opening: Token, scope: Scope): void {
    const kept = this.variables.count;
    let outer = scope;
    for (;;) {
      this.pipeline(keyword, 'close', outer);
      const inner: Scope = {
        ...outer,
        isDotParameters: outer.isDotParameters && keyword === 'if',
        isSure: false,
        ranges: outer.ranges + (keyword === 'range' ? 1 : 0),
        depth: scope.depth + 1,
      };
      const ending = this.list(inner);
      outer = { ...outer, isSure: false, depth: scope.depth + 1 };
      if (ending === `else ${keyword}`) {
        this.nextNonSpace();
      } else if (ending === 'else') {
        this.ends(this.list(outer), opening, 'expected end; found {{else}}');
        break;
      } else if (ending === 'else if' || ending === 'else with') {
        // Go's parser takes the other word for the first one of an action.
        this.fails(`unexpected <${ending.slice(5)}> in {{else}} of {{${keyword}}}`);
      } else {
        this.ends(ending, opening, '');
        break;
      }
    }
    this.variables.keep(kept);
  }

  private ends(ending: Ending, opening: Token, otherwise: string): void {
    if (ending === 'eof') {
      throw new Fault(`unexpected EOF: ${this.shown(opening)} has no "{{ end }}"`);
    }
    if (ending !== 'end') {
      this.fails(otherwise);
    }
  }

  private definition(keyword: 'define' | 'block', opening: Token, scope: Scope): void {
    const context = `${keyword} clause`;
    this.defined.add(this.name(context));
    if (keyword === 'block') {
      this.pipeline(context, 'close', scope);
    } else {
      this.expectClose(context);
    }
    const outer = this.variables;
    this.variables = new Variables();
    const ending = this.list({
      ...{ isDotParameters: false, isRootParameters: false, isSure: false, ranges: 0 },
      depth: scope.depth + 1,
    });
    this.ends(ending, opening, `unexpected {{${ending}}} in ${context}`);
    this.variables = outer;
  }

  private call(scope: Scope): void {
    const context = 'template clause';
    const token = this.peekNonSpace();
    const name = this.name(context);
    if (scope.isSure) {
      this.used.push({ name, token });
    }
    if (this.peekNonSpace().kind === 'close') {
      this.nextNonSpace();
    } else {
      this.pipeline(context, 'close', scope);
    }
  }

  private name(context: string): string {
    const token = this.nextNonSpace();
    return token.kind === 'string' || token.kind === 'rawString'
      ? this.string(token)
      : this.unexpected(token, context);
  }

  /** Whether its first command is a field of the parameters. */
  private pipeline(context: string, end: 'close' | ')', scope: Scope): boolean {
    const isDeclared = this.declares(context);
    let isField = false;
    for (let stage = 1; ; stage++) {
      const token = this.nextNonSpace();
      if (token.kind === end) {
        if (stage === 1) {
          this.fails(`missing value for ${context}`);
        }
        return isField && !isDeclared;
      }
      if (!operands.has(token.kind)) {
        this.unexpected(token, context);
      }
      this.at--;
      const isOfParameters = this.command(stage, scope);
      isField = stage === 1 ? isOfParameters : isField;
    }
  }

  /** Whether it begins with a variable that is given a value. */
  private declares(context: string): boolean {
    for (let count = 0; this.peekNonSpace().kind === 'variable'; count++) {
      const back = this.at;
      const variable = this.nextNonSpace();
      const next = this.nextNonSpace();
      if (next.kind === 'assign' || next.kind === 'declare') {
        this.variables.add(variable.text);
        return true;
      }
      if (next.kind !== 'char' || next.text !== ',') {
        this.at = back;
        return false;
      }
      this.variables.add(variable.text);
      if (context !== 'range' || count > 0) {
        this.fails(`too many declarations in ${context}`);
      }
      if (!['variable', 'close', ')'].includes(this.peekNonSpace().kind)) {
        this.fails('range can only initialize variables');
      }
    }
    return false;
  }

  /** Whether it is a field of the parameters and nothing else. */
  private command(stage: number, scope: Scope): boolean {
    const first = this.peekNonSpace();
    const before = this.read.length;
    const kind = this.operand(scope);
    const begun = this.peek();
    const isShort = kind === 'function' && (first.text === 'and' || first.text === 'or');
    let count = 1;
    for (let after = this.next(); ; after = this.next()) {
      if (after.kind !== 'space' && after.kind !== 'pipe') {
        if (after.kind !== 'close' && after.kind !== ')') {
          this.unexpected(after, 'operand');
        }
        this.at--;
      }
      if (after.kind !== 'space') {
        break;
      }
      if (operands.has(this.peekNonSpace().kind)) {
        // `and` and `or` stop at the first operand that decides.
        this.operand(isShort && count > 1 ? { ...scope, isSure: false } : scope);
        count++;
      }
    }
    if (stage > 1 && constants.has(first.kind) && kind === 'value') {
      this.fails(`non executable command in pipeline stage ${stage}`);
    }
    // Of what is missing, a field with arguments is nothing.
    const isValue = kind === 'value' || (kind === 'field' && this.read[before]!.names.length === 1);
    if (scope.isSure && (stage > 1 || count > 1) && isValue) {
      const written = cut(this.text.slice(first.start, begun.start));
      this.fault ??= `"${written}" is no function, but has arguments${this.place(first)}`;
    }
    if (scope.isSure && stage === 1 && count === 1 && first.kind === 'identifier') {
      this.checkCall(first);
    }
    return kind === 'field' && count === 1;
  }

  /** A term, and fields of it. */
  private operand(scope: Scope): Operand {
    const token = this.nextNonSpace();
    const term = this.term(token, scope);
    const names = token.kind === 'field' ? [token.text.slice(1)] : [];
    for (let next = this.peek(); next.kind === 'field'; next = this.peek()) {
      if (constants.has(token.kind)) {
        this.fails(`unexpected . after term "${cut(token.text)}"`);
      }
      names.push(this.next().text.slice(1));
    }
    if (names.length === 0) {
      return term;
    }
    const isOfParameters =
      (token.kind === 'field' && scope.isDotParameters) ||
      (token.kind === 'variable' && token.text === '$' && scope.isRootParameters);
    if (isOfParameters) {
      this.read.push({ names, isSure: scope.isSure, isWritten: false });
    }
    return isOfParameters ? 'field' : 'fieldOfOther';
  }

  private term(token: Token, scope: Scope): Operand {
    switch (token.kind) {
      case 'identifier':
        this.checkFunction(token.text);
        this.isFilled ||= filling.has(token.text);
        return 'function';
      case 'variable':
        if (!this.variables.has(token.text)) {
          this.fails(`undefined variable "${token.text}"`);
        }
        return 'value';
      case 'string':
      case 'rawString':
        this.quoted.add(this.string(token));
        return 'value';
      case 'number':
      case 'charConstant': {
        const fault = token.kind === 'number' ? checkNumber(token.text) : checkCharacter(token.text);
        if (fault !== undefined) {
          this.fails(fault);
        }
        return 'value';
      }
      case '(':
        if (this.parens >= deepest) {
          throw new TooDeep();
        }
        this.parens++;
        this.pipeline('parenthesized pipeline', ')', scope);
        this.parens--;
        return 'value';
      default:
        return 'value';
    }
  }

  private checkCall(token: Token): void {
    if (!withoutArguments.has(token.text)) {
      this.fault ??= `function "${token.text}" has no arguments; a parameter has a dot before it, ".${token.text}"${this.place(token)}`;
    }
  }

  private checkFunction(name: string): void {
    if (templateFunctions.has(name)) {
      return;
    }
    const near = nearKey(name, [...templateFunctions]);
    const why = removedFunctions.has(name)
      ? ', which Argo CD takes away from templates'
      : `${near === undefined ? '' : `, which may be meant for "${near}"`}; a parameter has a dot before it, ".${name}"`;
    this.fails(`function "${name}" not defined${why}`);
  }

  private string(token: Token): string {
    const text = unquoted(token.text);
    return text ?? this.fails(`invalid syntax of the text ${cut(token.text)}`);
  }

  private expectClose(context: string): void {
    const token = this.nextNonSpace();
    if (token.kind !== 'close') {
      this.unexpected(token, context);
    }
  }

  private unexpected(token: Token, context: string): never {
    if (token.kind === 'error') {
      const isField = token.text.startsWith('bad character "-"') && this.tokens.at(-2)?.kind === 'field';
      return this.fails(
        isField
          ? `${token.text}: "index" reads a name with "-", such as index .labels "my-label"`
          : token.text,
      );
    }
    return this.fails(`unexpected "${cut(token.text)}" in ${context}`);
  }

  private fails(what: string): never {
    throw new Fault(`${what}${this.place(this.tokens[Math.max(0, this.at - 1)]!)}`);
  }

  private place(token: Token): string {
    return ` in ${this.shown(token)}`;
  }

  /** The action that a token is in. */
  private shown({ action }: Token): string {
    return `"${cut(this.text.slice(action, this.endOf(action)))}"`;
  }

  private endOf(action: number): number {
    const closes = this.text.indexOf('}}', action);
    return closes < 0 ? this.text.length : closes + 2;
  }

  private next(): Token {
    // The last one stays.
    return this.tokens[Math.min(this.at++, this.tokens.length - 1)]!;
  }

  private peek(): Token {
    return this.tokens[Math.min(this.at, this.tokens.length - 1)]!;
  }

  private nextNonSpace(): Token {
    this.peekNonSpace();
    return this.next();
  }

  private peekNonSpace(): Token {
    while (this.peek().kind === 'space') {
      this.at++;
    }
    return this.peek();
  }
}

const operands = new Set<Token['kind']>([
  ...(['bool', 'charConstant', 'dot', 'field', 'identifier', 'number'] as const),
  ...(['nil', 'rawString', 'string', 'variable', '('] as const),
]);

/** What can't be called, as Go's parser sees at once. */
const constants = new Set<Token['kind']>([
  ...(['bool', 'dot', 'nil', 'number', 'charConstant', 'string', 'rawString'] as const),
]);

/** Names of variables: those of a block go with it. */
class Variables {
  private readonly names: string[] = ['$'];
  private readonly counts = new Map([['$', 1]]);

  public get count(): number {
    return this.names.length;
  }

  public add(name: string): void {
    this.names.push(name);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  public has(name: string): boolean {
    return (this.counts.get(name) ?? 0) > 0;
  }

  public keep(count: number): void {
    for (const name of this.names.splice(count)) {
      this.counts.set(name, this.counts.get(name)! - 1);
    }
  }
}

/** As much as a line holds. */
function cut(text: string): string {
  const line = text.slice(0, 200).replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
