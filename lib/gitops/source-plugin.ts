/**
 * A config management plugin that renders a directory, say a `HelmfilePlugin`.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
 */
export interface SourcePlugin {
  /** Name of the plugin; with a version in its definition `NAME-VERSION`. @default - the plugin that finds its files in the directory */
  readonly name?: string;
  /** Variables for the plugin, which sees them as `ARGOCD_ENV_NAME`. They are plain text. @default - none */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Parameters for the plugin, each with one of the three values. @default - none */
  readonly parameters?: readonly SourcePluginParameter[];
}

/** A parameter for a plugin. */
export interface SourcePluginParameter {
  readonly name: string;
  /** @default - none */
  readonly string?: string;
  /** @default - none */
  readonly array?: readonly string[];
  /** @default - none */
  readonly map?: Readonly<Record<string, string>>;
}
