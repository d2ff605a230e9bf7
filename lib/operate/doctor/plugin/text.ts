import { oneLine } from '../../../core/printable-text';
import { shortMessage } from '../../../core/redaction';
import { redactedConfig } from './config';
import type { PluginCommand } from './config';
import type { ExaminedPlugin, ExaminedSource } from './plugin';
import type { PluginOutcome } from './run';

/**
 * What there is to know of an Application's plugins, and what came of a run, for people. Nothing of it is a secret.
 *
 * @param outcomes by path of the source, of those that were run
 */
export function pluginText(
  { application, sources, found, sidecars, notes }: ExaminedPlugin,
  outcomes: ReadonlyMap<string, PluginOutcome> = new Map(),
): string {
  const lines = [
    `Application ${application}`,
    ...sources.flatMap((source) => [
      '',
      ...sourceLines(source, found),
      ...outcomeLines(outcomes.get(source.path)),
    ]),
    ...(sidecars.length === 0 ? [] : ['', `Sidecars of the repository server: ${sidecars.join(', ')}`]),
    ...(notes.length === 0 ? [] : ['', 'Not checked:', ...notes.map((note) => `  ${shortMessage(note)}`)]),
  ];
  return `${lines.map(oneLine).join('\n')}\n`;
}

function sourceLines(source: ExaminedSource, found: readonly string[]): string[] {
  const { path, folder, named, environment, readFrom } = source;
  const config = source.config && redactedConfig(source.config);
  return [
    `${path}: plugin ${named ?? config?.name ?? 'that discovery chooses'}`,
    `  folder: ${folder}`,
    ...(config === undefined
      ? [`  command: not known: ${missing(named, found)}`]
      : [
          ...(config.init ? [`  init: ${commandText(config.init)}`] : []),
          `  generate: ${commandText(config.generate)}`,
          `  discovery: ${config.discover ?? 'none, it is used where it is named'}`,
          ...(config.gitCredentials
            ? ['  credentials of the repository: yes, they are not shown and not used here']
            : []),
          `  read from: ${readFrom ?? 'unknown'}`,
        ]),
    '  environment, in addition to that of its container:',
    ...environment.map(({ name, shown }) => `    ${name}=${shown}`),
  ];
}

function missing(named: string | undefined, found: readonly string[]): string {
  const there =
    found.length === 0 ? 'no ConfigMap in the namespace holds one' : `found were ${found.join(', ')}`;
  return `${named === undefined ? 'the source names none' : `no plugin of the name ${named}`}; ${there}. A configuration in the image can't be read: give it with --plugin-file`;
}

/** As a shell takes it. */
function commandText(command: PluginCommand): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

function outcomeLines(outcome: PluginOutcome | undefined): string[] {
  if (outcome === undefined) {
    return [];
  }
  const { failed, stderr, output, duration } = outcome;
  const said =
    stderr.trim() === ''
      ? []
      : [
          '  stderr:',
          ...stderr
            .trimEnd()
            .split('\n')
            .slice(-20)
            .map((line) => `    ${line}`),
        ];
  if (failed) {
    return [`  ran: ${failed.command} FAILED: ${failed.why} (${duration} ms)`, ...said];
  }
  const { objects = 0, problems = [] } = output ?? {};
  return [
    `  ran: ${problems.length === 0 ? 'well' : 'FAILED'}, ${objects} objects in ${duration} ms`,
    ...problems
      .slice(0, 10)
      .map(
        ({ line, reason, text }) => `    stdout, line ${line}: ${reason}${text === '' ? '' : `: ${text}`}`,
      ),
    ...(problems.length > 10 ? [`    and ${problems.length - 10} more`] : []),
    ...(problems.length === 0 ? [] : said),
  ];
}
