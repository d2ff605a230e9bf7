/**
 * What a text of others must not bring into a terminal or a log: control characters, what turns the direction of writing
 * or is not seen, separators of lines and paragraphs, halves of characters.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** The same but for line breaks and tabs. */
const unsafeInLines = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * Commands to the runner of a pipeline: those of Azure Pipelines, of TeamCity and the older ones of GitHub Actions are
 * found anywhere in a line, `::error::` at its start, behind spaces as well.
 *
 * @see https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 * @see https://github.com/microsoft/azure-pipelines-agent/blob/master/src/Microsoft.VisualStudio.Services.Agent/Command.cs
 * @see https://www.jetbrains.com/help/teamcity/service-messages.html
 */
const commandAnywhere = /##(?=[a-z]*\[)/gi;

const commandAtStart = /^([^\S\n]*):(?=:[^\n]*::)/gm;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as one line that shows what is in it: a control character as its escape, `\u001b` or `\n`. Twice changes no more. */
export function oneLine(text: string): string {
  return withoutCommands(text.replace(unsafe, escaped));
}

/** The same for a text of several lines: line breaks and tabs stay. Values in it go through {@link oneLine} before. */
export function plainLines(text: string): string {
  return withoutCommands(text.replaceAll('\r\n', '\n').replace(unsafeInLines, escaped));
}

/**
 * The text of a JSON document without any of that: what is escaped in its strings reads as before. Line breaks, which JSON
 * has between its parts alone, stay.
 */
export function plainJson(text: string): string {
  return text
    .replace(unsafeInLines, (found) => found.replace(/[^]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`))
    .replace(commandAnywhere, '#\\u0023');
}

function withoutCommands(text: string): string {
  return text.replace(commandAnywhere, '#\\u0023').replace(commandAtStart, '$1\\u003a');
}

function escaped(found: string): string {
  const code = found.codePointAt(0)!;
  return shortEscapes[found] ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${hex(code)}`);
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
