import type * as pulumi from '@pulumi/pulumi';
import type { ClusterCredentials, SlotRef } from '../fleet';
import { clusterCredentialsKeys } from '../fleet';
import type { OptionsOf } from '../problems';
import { listOf } from '../problems';

/** Values as YAML knows them, with outputs at any depth. */
export type HelmfileValues = Readonly<Record<string, unknown>>;

/** What a `HelmfileRelease` takes. */
export interface HelmfileReleaseArgs {
  /**
   * The helmfile as it is: `helmfile.yaml`, `helmfile.yaml.gotmpl`, or a folder such as `helmfile.d`; a path from the folder of
   * the Pulumi program.
   */
  readonly file: string;
  /**
   * The cluster, as plain values of a slot: the kubeconfig runs `aws eks get-token`, so that there are only short-lived
   * credentials. Either this or `kubeconfig`.
   */
  readonly cluster?: pulumi.Input<SlotRef>;
  /** How `aws eks get-token` is run, with `cluster`. @default - the environment's */
  readonly credentials?: ClusterCredentials;
  /**
   * Text of a kubeconfig, for a cluster that is no slot. It is not kept anywhere, so releases of a `HelmfileRelease` that was
   * taken out of the program can't be uninstalled.
   */
  readonly kubeconfig?: pulumi.Input<string>;
  /** helmfile's environment. @default - helmfile's own: `default` */
  readonly environment?: string;
  /**
   * Label selectors, `tier=front` or `tier=front,name!=web`. A release is taken that fits any of them.
   * @see https://helmfile.readthedocs.io/en/latest/#labels-overview
   * @default - every release
   */
  readonly selectors?: readonly string[];
  /** Files with values of the helmfile's own templates (`.Values`); paths from the program's folder. @default - none */
  readonly stateValuesFiles?: readonly pulumi.Input<string>[];
  /** Values of the helmfile's own templates, over those of the files. @default - none */
  readonly stateValues?: pulumi.Input<HelmfileValues>;
  /** Files with values of every chart; paths from the program's folder. @default - none */
  readonly valuesFiles?: readonly pulumi.Input<string>[];
  /** Values of every chart, over those of the files. @default - none */
  readonly values?: pulumi.Input<HelmfileValues>;
  /** Environment variables for helmfile, beside the program's own. @default - none */
  readonly environmentVariables?: Readonly<Record<string, pulumi.Input<string>>>;
  /**
   * Folder in which helmfile runs, from the program's folder. What a helmfile names is found from its own folder.
   * @default - the program's folder
   */
  readonly workingDirectory?: string;
  /** Most helm processes at once, 1 to 100. @default - no limit, as helmfile has it */
  readonly concurrency?: number;
  /** helmfile, version 1 or newer: a name on the PATH, or a path. It needs the plug-in helm-diff. @default 'helmfile' */
  readonly helmfile?: string;
  /** Helm: a name on the PATH, or a path. @default 'helm' */
  readonly helm?: string;
  /**
   * Longest run of helmfile, in seconds, 1 to 7200. How long Helm waits for one release is said in the helmfile.
   * @default 1800 - several charts, each with Helm's own 300 s
   */
  readonly timeoutSeconds?: number;
  /**
   * Whether the releases are uninstalled when this is deleted. `pulumi destroy` then wants `--run-program`.
   * @default true
   */
  readonly uninstallOnDelete?: boolean;
}

export const helmfileReleaseArgsKeys: OptionsOf<HelmfileReleaseArgs> = {
  file: 'plain',
  cluster: 'open',
  credentials: clusterCredentialsKeys,
  kubeconfig: 'open',
  environment: 'plain',
  selectors: 'list',
  stateValuesFiles: listOf('open'),
  stateValues: 'open',
  valuesFiles: listOf('open'),
  values: 'open',
  environmentVariables: 'open',
  workingDirectory: 'plain',
  concurrency: 'plain',
  helmfile: 'plain',
  helm: 'plain',
  timeoutSeconds: 'plain',
  uninstallOnDelete: 'plain',
};

/** Longest run where nothing else is said, in seconds. */
export const defaultTimeoutSeconds = 1800;
