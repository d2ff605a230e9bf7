/** A token of an action, as Go's lexer has them. */
export interface Token {
  readonly kind:
    | 'text'
    | 'open'
    | 'close'
    | 'space'
    | 'assign'
    | 'declare'
    | 'pipe'
    | 'char'
    | '('
    | ')'
    | 'string'
    | 'rawString'
    | 'charConstant'
    | 'number'
    | 'bool'
    | 'dot'
    | 'nil'
    | 'field'
    | 'variable'
    | 'identifier'
    | 'keyword'
    | 'eof'
    | 'error';
  /** As it is written; of an error, what is wrong. */
  readonly text: string;
  /** Where it begins. */
  readonly start: number;
  /** Where the action begins that it is in, or the one before it. */
  readonly action: number;
}

const keywords = new Set([
  ...['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'template', 'with'],
]);

/** Letters, digits and `_`. */
const word = /[\p{L}\p{Nd}_]+/uy;

const spaces = /[ \t\r\n]+/y;

/** As Go's lexer scans numbers: whether it is one, the parser says. */
const number =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;

/**
 * The tokens of a Go template, up to the first thing that is none: the last one is `eof` or `error`. Spaces that are trimmed
 * are not in the texts, and comments are left out.
 *
 * @see https://github.com/golang/go/blob/go1.25.0/src/text/template/parse/lex.go
 */
export function goTokens(text: string): readonly Token[] {
  const lexer = new Lexer(text);
  while (lexer.isOpen) {
    lexer.next();
  }
  return lexer.tokens;
}

class Lexer {
  public readonly tokens: Token[] = [];
  public isOpen = true;
  private at = 0;
  private action = 0;
  private isInAction = false;
  private depth = 0;

  public constructor(private readonly text: string) {}

  public next(): void {
    if (this.isInAction) {
      this.inAction();
    } else {
      this.outside();
    }
  }

  private outside(): void {
    const found = this.text.indexOf('{{', this.at);
    const opens = found < 0 ? this.text.length : found;
    const isTrimmed = found >= 0 && /^-[ \t\r\n]/.test(this.text.slice(opens + 2, opens + 4));
    const literal = this.text.slice(this.at, opens);
    const kept = isTrimmed ? trimmedEnd(literal) : literal;
    if (kept !== '') {
      this.push('text', kept, this.at);
    }
    this.at = opens;
    if (found < 0) {
      this.end('eof', 'EOF');
      return;
    }
    this.action = opens;
    this.at += isTrimmed ? 4 : 2;
    if (this.text.startsWith('/*', this.at)) {
      this.comment();
    } else {
      // The space of the marker is left out with it.
      this.push('open', '{{', opens);
      this.isInAction = true;
      this.depth = 0;
    }
  }

  private comment(): void {
    const ends = this.text.indexOf('*/', this.at + 2);
    if (ends < 0) {
      this.end('error', 'unclosed comment');
      return;
    }
    this.at = ends + 2;
    if (!this.closes()) {
      this.end('error', 'comment ends before closing delimiter');
    }
  }

  /** Goes over a closing delimiter, with what it trims. */
  private closes(): boolean {
    const isTrimmed = /^[ \t\r\n]-\}\}/.test(this.text.slice(this.at, this.at + 4));
    if (!isTrimmed && !this.text.startsWith('}}', this.at)) {
      return false;
    }
    this.at += isTrimmed ? 4 : 2;
    if (isTrimmed) {
      this.at += this.matched(spaces).length;
    }
    return true;
  }

  private inAction(): void {
    const from = this.at;
    if (this.closes()) {
      if (this.depth > 0) {
        this.at = from;
        this.end('error', 'unclosed left paren');
        return;
      }
      this.push('close', '}}', from);
      this.isInAction = false;
      return;
    }
    const sign = this.text[from];
    if (sign === undefined) {
      this.end('error', 'unclosed action');
    } else if (isSpace(sign)) {
      this.space();
    } else if (sign === '"' || sign === "'") {
      this.quoted(sign);
    } else if (sign === '`') {
      this.rawQuoted();
    } else if (sign === ':' && this.text[from + 1] !== '=') {
      this.end('error', 'expected :=');
    } else if (sign === '$' || (sign === '.' && !/[0-9]/.test(this.text[from + 1] ?? ''))) {
      this.fieldOrVariable(sign);
    } else if (/[-+.0-9]/.test(sign)) {
      this.number();
    } else if (this.matched(word) !== '') {
      this.identifier();
    } else {
      this.sign(sign);
    }
  }

  /** Spaces, but for the one that a trimming delimiter begins with. */
  private space(): void {
    const run = this.matched(spaces);
    const ends = this.at + run.length;
    const kept = this.text.startsWith('-}}', ends) ? run.slice(0, -1) : run;
    this.take(kept === '' ? 'close' : 'space', kept);
    if (kept === '') {
      // Go looks at no parentheses here; the parser does.
      this.closes();
      this.isInAction = false;
    }
  }

  private quoted(quote: string): void {
    let end = this.at + 1;
    while (this.text[end] !== quote) {
      const isEscape = this.text[end] === '\\';
      const sign = this.text[isEscape ? end + 1 : end];
      if (sign === undefined || sign === '\n') {
        this.end('error', `unterminated ${quote === '"' ? 'quoted string' : 'character constant'}`);
        return;
      }
      end += isEscape ? 2 : 1;
    }
    this.take(quote === '"' ? 'string' : 'charConstant', this.text.slice(this.at, end + 1));
  }

  private rawQuoted(): void {
    const end = this.text.indexOf('`', this.at + 1);
    if (end < 0) {
      this.end('error', 'unterminated raw quoted string');
      return;
    }
    this.take('rawString', this.text.slice(this.at, end + 1));
  }

  private fieldOrVariable(sign: string): void {
    word.lastIndex = this.at + 1;
    const [name] = word.exec(this.text) ?? [''];
    this.terminated(sign === '$' ? 'variable' : name === '' ? 'dot' : 'field', sign + name);
  }

  private identifier(): void {
    const name = this.matched(word);
    const kind = keywords.has(name) ? 'keyword' : name === 'nil' ? 'nil' : 'identifier';
    this.terminated(name === 'true' || name === 'false' ? 'bool' : kind, name);
  }

  /** A name must end where Go lets it end. */
  private terminated(kind: Token['kind'], text: string): void {
    const end = this.at + text.length;
    const after = this.text[end];
    if (
      after === undefined ||
      isSpace(after) ||
      '.,|:()'.includes(after) ||
      this.text.startsWith('}}', end)
    ) {
      this.take(kind, text);
    } else {
      this.end('error', `bad character "${characterAt(this.text, end)}" after "${text}"`);
    }
  }

  private number(): void {
    const first = this.matched(number);
    const from = this.at;
    let end = from + first.length;
    if (/[+-]/.test(this.text[end] ?? '')) {
      number.lastIndex = end;
      const [second] = number.exec(this.text)!;
      end += second.length;
      if (!second.endsWith('i')) {
        this.end('error', `bad number syntax: "${this.text.slice(from, end)}"`);
        return;
      }
    }
    word.lastIndex = end;
    const [more] = word.exec(this.text) ?? [];
    if (more !== undefined) {
      this.end('error', `bad number syntax: "${this.text.slice(from, end) + characterAt(more, 0)}"`);
      return;
    }
    this.take('number', this.text.slice(from, end));
  }

  private sign(sign: string): void {
    if (sign === '(') {
      this.depth++;
      this.take('(', sign);
    } else if (sign === ')') {
      this.depth--;
      if (this.depth < 0) {
        this.end('error', 'unexpected right paren');
      } else {
        this.take(')', sign);
      }
    } else if (sign === '=') {
      this.take('assign', sign);
    } else if (sign === ':') {
      this.take('declare', ':=');
    } else if (sign === '|') {
      this.take('pipe', sign);
    } else if (/[!-~]/.test(sign)) {
      this.take('char', sign);
    } else {
      this.end('error', `unrecognized character in action: "${characterAt(this.text, this.at)}"`);
    }
  }

  private matched(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? '';
  }

  private take(kind: Token['kind'], text: string): void {
    this.push(kind, text, this.at);
    this.at += text.length;
  }

  private push(kind: Token['kind'], text: string, start: number): void {
    this.tokens.push({ kind, text, start, action: this.action });
  }

  private end(kind: 'eof' | 'error', text: string): void {
    this.push(kind, text, this.at);
    this.isOpen = false;
  }
}

function isSpace(sign: string): boolean {
  return sign === ' ' || sign === '\t' || sign === '\n' || sign === '\r';
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!);
}

/** Without the spaces at the end, which a pattern would look for from each of them. */
function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1]!)) {
    end--;
  }
  return text.slice(0, end);
}
