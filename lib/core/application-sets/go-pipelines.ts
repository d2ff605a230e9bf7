import { nearKey } from '../validation/near-key';
import { checkCharacter, checkNumber, unquoted } from './go-literals';
import type { Token } from './go-tokens';
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

/** Deeper ones are taken for right: Go reads 10,000 parentheses in one another, which no person writes. */
export const deepest = 200;

/** What is wrong with a template. */
export class Fault extends Error {}

/** Thrown where a template is deeper than it is read. */
export class TooDeep extends Error {}

/** What `.` and `$` are in a part of a template. */
export interface Scope {
  readonly isDotParameters: boolean;
  readonly isRootParameters: boolean;
  /** Whether it is executed whatever the parameters are. */
  readonly isSure: boolean;
  readonly ranges: number;
  readonly depth: number;
}

/** What is known of an operand that a command begins with. */
type Operand = 'function' | 'field' | 'fieldOfOther' | 'value';

/** A field, and whether the action that it is in writes it. */
interface ReadField {
  readonly names: readonly string[];
  readonly isSure: boolean;
  isWritten: boolean;
}

const filling = new Set(['default', 'coalesce', 'empty', 'ternary', 'kindIs', 'typeIs', 'toJson']);

/** Reads what stands in an action: pipelines of commands, and the fields in them. */
export class Pipelines {
  /** What fails when it is executed, whatever the parameters are. */
  public fault: string | undefined;
  protected readonly read: ReadField[] = [];
  private readonly quoted = new Set<string>();
  protected variables = new Variables();
  protected at = 0;
  private parens = 0;
  /** Fills in for what is not there, somewhere in the action. */
  protected isFilled = false;

  public constructor(
    private readonly text: string,
    protected readonly tokens: readonly Token[],
  ) {}

  public fields(): readonly GoField[] {
    return this.fault === undefined
      ? this.read.filter(({ names }) => !names.some((name) => this.quoted.has(name)))
      : [];
  }

  /** Whether its first command is a field of the parameters. */
  protected pipeline(context: string, end: 'close' | ')', scope: Scope): boolean {
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
    const { kind, text } = token;
    if (kind === 'identifier') {
      this.checkFunction(text);
      this.isFilled ||= filling.has(text);
      return 'function';
    }
    if (kind === 'variable' && !this.variables.has(text)) {
      this.fails(`undefined variable "${text}"`);
    }
    if (kind === 'string' || kind === 'rawString') {
      this.quoted.add(this.string(token));
    }
    const fault =
      kind === 'number' ? checkNumber(text) : kind === 'charConstant' ? checkCharacter(text) : undefined;
    if (fault !== undefined) {
      this.fails(fault);
    }
    if (kind === '(') {
      if (this.parens >= deepest) {
        throw new TooDeep();
      }
      this.parens++;
      this.pipeline('parenthesized pipeline', ')', scope);
      this.parens--;
    }
    return 'value';
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

  protected string(token: Token): string {
    const text = unquoted(token.text);
    return text ?? this.fails(`invalid syntax of the text ${cut(token.text)}`);
  }

  protected expectClose(context: string): void {
    const token = this.nextNonSpace();
    if (token.kind !== 'close') {
      this.unexpected(token, context);
    }
  }

  protected unexpected(token: Token, context: string): never {
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

  protected fails(what: string): never {
    throw new Fault(`${what}${this.place(this.tokens[Math.max(0, this.at - 1)]!)}`);
  }

  protected place(token: Token): string {
    return ` in ${this.shown(token)}`;
  }

  /** The action that a token is in. */
  protected shown({ action }: Token): string {
    return `"${cut(this.text.slice(action, this.endOf(action)))}"`;
  }

  private endOf(action: number): number {
    const closes = this.text.indexOf('}}', action);
    return closes < 0 ? this.text.length : closes + 2;
  }

  protected next(): Token {
    // The last one stays.
    return this.tokens[Math.min(this.at++, this.tokens.length - 1)]!;
  }

  private peek(): Token {
    return this.tokens[Math.min(this.at, this.tokens.length - 1)]!;
  }

  protected nextNonSpace(): Token {
    this.peekNonSpace();
    return this.next();
  }

  protected peekNonSpace(): Token {
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
export class Variables {
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
