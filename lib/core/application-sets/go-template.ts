import { deepest, Fault, Pipelines, TooDeep, Variables } from './go-pipelines';
import type { GoField, Scope } from './go-pipelines';
import { goTokens } from './go-tokens';
import type { Token } from './go-tokens';

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

/** What ended a list of actions. */
type Ending = 'end' | 'else' | 'else if' | 'else with' | 'eof';

class Parser extends Pipelines {
  private readonly defined = new Set<string>();
  private readonly used: { readonly name: string; readonly token: Token }[] = [];

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
}
