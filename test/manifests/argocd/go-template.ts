/** What a template may read. */
export interface TemplateData {
  readonly app?: object;
  readonly context?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly recipient?: string;
}

/**
 * Executes the part of Go's templates that this library writes, written apart from it: quoted texts, fields, `dig`, `index`,
 * `printf` with `%v`, and pipes into `toString` and `toJson`. Anything else is an error, as it would be in Go.
 */
export function goTemplate(template: string, data: TemplateData): string {
  let rest = template;
  let written = '';
  for (let start = rest.indexOf('{{'); start >= 0; start = rest.indexOf('{{')) {
    const action = new Action(rest.slice(start + 2), data);
    written += rest.slice(0, start) + text(action.pipeline('}}'));
    rest = action.rest;
  }
  return written + rest;
}

class Action {
  public constructor(
    public rest: string,
    private readonly data: TemplateData,
  ) {}

  /** Values up to a closing word, the last one piped on. */
  public pipeline(end: '}}' | ')'): unknown {
    let value: unknown;
    let piped: unknown[] = [];
    for (;;) {
      value = this.command(piped);
      if (this.takes('|')) {
        piped = [value];
      } else if (this.takes(end)) {
        return value;
      } else {
        throw new Error(`unexpected: ${this.rest}`);
      }
    }
  }

  private command(piped: readonly unknown[]): unknown {
    const word = this.match(/^(dig|index|printf|toString|toJson)\b/);
    if (word === undefined) {
      return this.operand();
    }
    const operands: unknown[] = [];
    while (!/^\s*(\||\)|\}\})/.test(this.rest)) {
      operands.push(this.operand());
    }
    return call(word, [...operands, ...piped]);
  }

  private operand(): unknown {
    const quoted = this.match(/^"(?:[^"\\\n]|\\.)*"/);
    if (quoted !== undefined) {
      return JSON.parse(quoted);
    }
    const field = this.match(/^\.(app|context|secrets|recipient)\b(?!\.)/);
    if (field !== undefined) {
      return (this.data as any)[field.slice(1)];
    }
    if (this.takes('(')) {
      return this.pipeline(')');
    }
    throw new Error(`no operand: ${this.rest}`);
  }

  private takes(word: string): boolean {
    this.rest = this.rest.trimStart();
    const there = this.rest.startsWith(word);
    this.rest = there ? this.rest.slice(word.length) : this.rest;
    return there;
  }

  private match(expression: RegExp): string | undefined {
    this.rest = this.rest.trimStart();
    const [found] = expression.exec(this.rest) ?? [];
    this.rest = this.rest.slice(found?.length ?? 0);
    return found;
  }
}

function call(name: string, given: readonly unknown[]): unknown {
  switch (name) {
    case 'dig': {
      const keys = given.slice(0, -2) as string[];
      return keys.reduce<any>(
        (value, key) => (typeof value === 'object' && Object.hasOwn(value, key) ? value[key] : given.at(-2)),
        given.at(-1),
      );
    }
    case 'index':
      return (given[0] as any)?.[given[1] as string] ?? '';
    case 'printf': {
      const [format, ...values] = given as [string, ...unknown[]];
      return format.replace(/%%|%v|%./g, (verb) => {
        if (verb !== '%%' && verb !== '%v') {
          throw new Error(`verb ${verb}`);
        }
        return verb === '%%' ? '%' : text(values.shift());
      });
    }
    case 'toString':
      return text(given[0]);
    default:
      return JSON.stringify(given[0]).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026');
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
