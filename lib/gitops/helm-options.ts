import type { OptionsOf } from '../problems';
import { listOf } from '../problems';
import type { JsonValue } from './json-value';

/** How a chart is rendered. */
export interface HelmOptions {
  /** Name of the release. @default - the Application's name, which then may have 53 characters at most */
  readonly releaseName?: string;
  /**
   * Values as data; they go before `valueFiles`. Text of values is not offered: it can't be checked, and a
   * deployment's outputs can be put into data safely. A null would be left out of the manifest and is refused.
   * @default - the chart's own values
   */
  readonly valuesObject?: { readonly [key: string]: JsonValue };
  /** Value files, relative to the chart, or `$REF/path` into another source. @default - none */
  readonly valueFiles?: readonly string[];
  /** Whether value files may be missing. @default false */
  readonly ignoreMissingValueFiles?: boolean;
  /** Single values (Helm's `--set`); they go before everything else. @default - none */
  readonly parameters?: readonly {
    /** Path of the value, `service.port`. */
    readonly name: string;
    /** The value. */
    readonly value: string;
    /** Whether the value is a text whatever it looks like. @default false */
    readonly forceString?: boolean;
  }[];
  /** Values out of files (Helm's `--set-file`). @default - none */
  readonly fileParameters?: readonly {
    /** Path of the value. */
    readonly name: string;
    /** File that holds it. */
    readonly path: string;
  }[];
  /** Namespace to render with. @default - the destination's */
  readonly namespace?: string;
  /** Whether the chart's CustomResourceDefinitions are left out. @default false */
  readonly skipCrds?: boolean;
  /** Whether the chart's test hooks are left out. @default false */
  readonly skipTests?: boolean;
  /** Whether the chart's own JSON schema of its values is not looked at. @default false */
  readonly skipSchemaValidation?: boolean;
  /** Whether credentials go to every domain that the chart comes from. @default false */
  readonly passCredentials?: boolean;
  /** Kubernetes version to render for. @default - the destination's */
  readonly kubeVersion?: string;
  /** API versions to render for, `[group/]version/kind`. @default - the destination's */
  readonly apiVersions?: readonly string[];
}

export const helmOptionsKeys: OptionsOf<HelmOptions> = {
  releaseName: 'plain',
  valuesObject: 'plain',
  valueFiles: 'list',
  ignoreMissingValueFiles: 'plain',
  parameters: listOf({ name: 'plain', value: 'plain', forceString: 'plain' }),
  fileParameters: listOf({ name: 'plain', path: 'plain' }),
  namespace: 'plain',
  skipCrds: 'plain',
  skipTests: 'plain',
  skipSchemaValidation: 'plain',
  passCredentials: 'plain',
  kubeVersion: 'plain',
  apiVersions: 'list',
};
