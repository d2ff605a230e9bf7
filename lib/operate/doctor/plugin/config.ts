import { masked } from '../../../core/redaction';
import { Problems } from '../../../core/validation/problems';
import type * as Rules from '../../../lint';

/** A command of a plugin; the arguments follow the command. */
export type PluginCommand = readonly string[];

/**
 * What the `plugin.yaml` of a plugin's sidecar says.
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/cmpserver/plugin/config.go
 */
export interface PluginConfig {
  /** The name by which Applications name it: with the version, where it has one. */
  readonly name: string;
  /** Runs before `generate`. @default - nothing does */
  readonly init?: PluginCommand;
  /** Writes the manifests to stdout. */
  readonly generate: PluginCommand;
  /** How it finds out whether a repository is for it, for people. @default - it is used only where it is named */
  readonly discover?: string;
  /** Whether it gets the credentials of the repository. */
  readonly gitCredentials: boolean;
}

/** Whether a text looks as if it were the configuration of a plugin. */
export function looksLikePluginConfig(text: string): boolean {
  return /^\s{0,20}["']?kind["']?\s*:\s*["']?ConfigManagementPlugin\b/m.test(text);
}

/**
 * Reads a `plugin.yaml`.
 *
 * @param source where it comes from, for messages
 * @throws InvalidInput with everything that Argo CD would refuse
 */
export function readPluginConfig(text: string, source: string): PluginConfig {
  const problems = new Problems(source);
  // Whoever reads no configuration is spared the loading of all rules.
  const { Field, parseYaml } = require('../../../lint') as typeof Rules;
  const config = Field.ofValue(parsed(text, parseYaml, problems));
  problems.throwIfAny();
  const name = config.get('metadata', 'name').text ?? '';
  if (config.get('kind').text !== 'ConfigManagementPlugin') {
    problems.add('kind', config.get('kind').value, '"ConfigManagementPlugin"');
  }
  if (name === '') {
    problems.add('metadata.name', config.get('metadata', 'name').value, 'a name');
  }
  const generate = commandOf(config.get('spec', 'generate'));
  if (config.get('spec', 'generate', 'command').items.length === 0) {
    problems.add(
      'spec.generate.command',
      config.get('spec', 'generate', 'command').value,
      'a list with at least one word',
    );
  }
  problems.throwIfAny();
  const version = config.get('spec', 'version').text ?? '';
  const init = commandOf(config.get('spec', 'init'));
  const discover = discoveryOf(config.get('spec', 'discover'));
  return {
    name: version === '' ? name : `${name}-${version}`,
    ...(init.length === 0 ? {} : { init }),
    generate,
    ...(discover === undefined ? {} : { discover }),
    gitCredentials: config.get('spec', 'provideGitCreds').boolean ?? false,
  };
}

/** A configuration whose commands show nothing that looks like a secret. */
export function redactedConfig(config: PluginConfig): PluginConfig {
  const { init, generate } = config;
  return {
    ...config,
    ...(init ? { init: init.map((word) => masked(word)) } : {}),
    generate: generate.map((word) => masked(word)),
  };
}

function parsed(text: string, parseYaml: typeof Rules.parseYaml, problems: Problems): unknown {
  try {
    return parseYaml(text, { repeatedKeys: true });
  } catch (error) {
    problems.addSecret('plugin.yaml', `YAML (${(error as { reason?: string }).reason ?? 'it is none'})`);
    return undefined;
  }
}

function commandOf(field: Rules.Field): PluginCommand {
  const command = field.get('command').items.map(({ value }) => String(value));
  return command.length === 0
    ? []
    : [...command, ...field.get('args').items.map(({ value }) => String(value))];
}

/** The first of the three counts. */
function discoveryOf(discover: Rules.Field): string | undefined {
  const [file, glob] = [discover.get('fileName').text, discover.get('find', 'glob').text];
  if (file) {
    return `a file ${file} in the path of the source`;
  }
  if (glob) {
    return `a file that fits ${glob} in the path of the source`;
  }
  const command = commandOf(discover.get('find'));
  return command.length === 0 ? undefined : 'a command that writes something to stdout';
}
