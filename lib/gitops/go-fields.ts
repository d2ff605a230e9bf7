/** A field that a Go template reads of the parameters. */
export interface GoField {
  /** Names on the way to it: `['metadata', 'labels']`. */
  readonly names: readonly string[];
  /** Whether it is read whatever the parameters are: it is in no branch. */
  readonly isSure: boolean;
  /** Whether the action writes it, maybe through functions other than those that fill in for what is not there. */
  readonly isWritten: boolean;
}

/**
 * The fields of the parameters that a Go template reads. What stands for something else is left out: fields of variables and
 * of a dot that `with`, `range` or `define` has changed, quoted text, comments; and fields that the template looks for by
 * name, such as with `hasKey`.
 *
 * @see https://pkg.go.dev/text/template
 */
export function goFields(text: string): readonly GoField[] {
  const found: GoField[] = [];
  const quoted = new Set<string>();
  const blocks: Block[] = [];
  for (const action of actionsOf(text)) {
    const { code, texts } = withoutTexts(action);
    texts.forEach((each) => quoted.add(each));
    const [, keyword] = /^\s*(if|with|range|block|define|else|end)\b/.exec(code) ?? [];
    const around = blocks.at(-1) ?? wholeText;
    if (keyword === 'end') {
      blocks.pop();
      continue;
    }
    const outer = keyword === 'else' ? (blocks.at(-2) ?? wholeText) : around;
    const isSure = blocks.length === 0;
    const isWritten = keyword === undefined && written.test(code) && !filling.test(code);
    for (const names of chainsOf(code, outer)) {
      found.push({ names, isSure, isWritten: isWritten && isSure });
    }
    if (keyword === 'else') {
      blocks.pop();
    }
    if (keyword !== undefined) {
      blocks.push(blockOf(keyword, code, outer));
    }
  }
  return found.filter(({ names }) => !names.some((name) => quoted.has(name)));
}

/** What `.` and `$` are in a part of a template. */
interface Block {
  readonly isDotParameters: boolean;
  readonly isRootParameters: boolean;
}

const wholeText: Block = { isDotParameters: true, isRootParameters: true };

/** A field, or a pipe that begins with one. */
const written = /^\s*\$?(?:\.[\p{L}_][\p{L}\p{N}_]*)+\s*(?:\||$)/u;
const filling = /\b(?:default|coalesce|empty|ternary|kindIs|typeIs|toJson)\b/;

function blockOf(keyword: string, code: string, outer: Block): Block {
  if (keyword === 'define' || keyword === 'block') {
    return { isDotParameters: false, isRootParameters: false };
  }
  const changesDot = keyword === 'with' || keyword === 'range' || /^\s*else\s+with\b/.test(code);
  return changesDot ? { ...outer, isDotParameters: false } : outer;
}

/** What stands between `{{` and `}}`, without the dashes that trim. Quotes may hold either; what never ends is nothing. */
function actionsOf(text: string): readonly string[] {
  const actions: string[] = [];
  const part = /\}\}|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|["`']/g;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', part.lastIndex)) {
    const comment = /\{\{(?:-\s)?\s*\/\*/y;
    comment.lastIndex = start;
    part.lastIndex = comment.test(text) ? text.indexOf('*/', start) : start + 2;
    let end = part.lastIndex < start ? null : part.exec(text);
    while (end !== null && end[0] !== '}}' && end[0].length > 1) {
      end = part.exec(text);
    }
    if (end?.[0] !== '}}') {
      return actions;
    }
    const content = text.slice(start + 2, end.index).replace(/^-\s/, '');
    if (!content.trimStart().startsWith('/*')) {
      actions.push(content.endsWith('-') ? content.slice(0, -1) : content);
    }
  }
  return actions;
}

function withoutTexts(action: string): { readonly code: string; readonly texts: readonly string[] } {
  const texts: string[] = [];
  const code = action.replace(/"((?:[^"\\]|\\[^])*)"|`([^`]*)`|'(?:[^'\\]|\\[^])*'/g, (_, double, raw) => {
    texts.push(String(double ?? raw ?? ''));
    return '""';
  });
  return { code, texts };
}

/** Chains of fields that begin at the parameters: not those of a variable, a call or another value. */
function chainsOf(code: string, { isDotParameters, isRootParameters }: Block): readonly string[][] {
  const chain = /(?<![\p{L}\p{N}_)\].$"])(\$?)((?:\.[\p{L}_][\p{L}\p{N}_]*)+)/gu;
  return [...code.matchAll(chain)]
    .filter(([, root]) => (root === '$' ? isRootParameters : isDotParameters))
    .map(([, , names]) => names!.slice(1).split('.'));
}
