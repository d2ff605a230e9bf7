import type { OptionsOf } from '../problems';
import { listOf } from '../problems';

/**
 * A config management plugin that renders a directory, say a `HelmfilePlugin`.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
 */
export interface SourcePlugin {
  /** Name of the plugin; with a version in its definition `NAME-VERSION`. @default - the plugin that finds its files in the directory */
  readonly name?: string;
  /** Variables for the plugin. @default - none */
  readonly env?: readonly SourcePluginVariable[];
  /** Parameters for the plugin, each with one of the three values. @default - none */
  readonly parameters?: readonly SourcePluginParameter[];
}

/** A variable for a plugin. It is plain text in the Application. */
export interface SourcePluginVariable {
  /** Name of the variable; the plugin sees it as `ARGOCD_ENV_NAME`. */
  readonly name: string;
  /** Its value. Argo CD fills in references to its own variables: `$ARGOCD_APP_NAME`. */
  readonly value: string;
}

const sourcePluginVariableKeys: OptionsOf<SourcePluginVariable> = { name: 'plain', value: 'plain' };

/** A parameter for a plugin. */
export interface SourcePluginParameter {
  /** Name of the parameter. */
  readonly name: string;
  /** Its value, of a text. @default - it is a list or a map */
  readonly string?: string;
  /** Its value, of a list. @default - it is a text or a map */
  readonly array?: readonly string[];
  /** Its value, of a map. @default - it is a text or a list */
  readonly map?: Readonly<Record<string, string>>;
}

const sourcePluginParameterKeys: OptionsOf<SourcePluginParameter> = {
  name: 'plain',
  string: 'plain',
  array: 'list',
  map: 'plain',
};

export const sourcePluginKeys: OptionsOf<SourcePlugin> = {
  name: 'plain',
  env: listOf(sourcePluginVariableKeys),
  parameters: listOf(sourcePluginParameterKeys),
};
