import * as pulumi from '@pulumi/pulumi';
import { resolve } from 'node:path';
import { textsIn } from '../../core/redaction';
import { opaque } from '../../core/validation/arguments';
import { across, list, object, optional, record } from '../../core/validation/collections';
import { variableName } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { flag, following, later, secret, text, whole } from '../../core/validation/values';
import { clusterCredentials, kubeconfigText } from '../fleet';
import type { ClusterCredentials, SlotRef } from '../fleet';
import { plainList } from '../input-schemas';

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

/** A word that can't be taken for a flag. */
const word = (what: string): Schema<string> =>
  text(`${what}, not empty and not beginning with "-"`, /^[^-\s]/);

/** @see https://helmfile.readthedocs.io/en/latest/#labels-overview */
const selector = text(
  'a label selector such as "tier=front" or "tier=front,name!=web"',
  /^[^=!,\s-][^=!,\s]*!?=[^=!,\s]+(,[^=!,\s-][^=!,\s]*!?=[^=!,\s]+)*$/,
);

const files = plainList<never>(later(word('the path of a file')), 'a list of paths of files');

/** Values are not looked into, and not shown. */
const helmfileValues = secret(later(opaque('an object of values')));

/** Variables that say which cluster it is. */
const clusterVariables = /^(KUBECONFIG|HELM_KUBE.*|HELMFILE_KUBE_CONTEXT)$/;

/** What may be secret is not shown. */
export const helmfileReleaseArgs: Schema<HelmfileReleaseArgs> = across(
  object<HelmfileReleaseArgs>({
    file: word('the path of a helmfile'),
    cluster: optional(secret(later(opaque('the SlotRef of a slot')))),
    credentials: optional(clusterCredentials),
    kubeconfig: optional(secret(later(text('the text of a kubeconfig')))),
    environment: optional(word('the name of an environment')),
    selectors: optional(list(selector, 1, 'one or more, or left out for every release')),
    stateValuesFiles: optional(files),
    stateValues: optional(helmfileValues),
    valuesFiles: optional(files),
    values: optional(helmfileValues),
    environmentVariables: optional(secret(record<never>(later(text('a text')), following(variableName)))),
    workingDirectory: optional(word('the path of a folder')),
    concurrency: optional(whole(1, 100)),
    helmfile: optional(word('a program')),
    helm: optional(word('a program')),
    timeoutSeconds: optional(whole(1, 7200)),
    uninstallOnDelete: optional(flag),
  }),
  ({ cluster, kubeconfig, credentials, environmentVariables }, { mustBeSecretly, conflicts }) => {
    if ((cluster === undefined) === (kubeconfig === undefined)) {
      mustBeSecretly(['cluster'], 'given, or else kubeconfig: one of the two');
    }
    if (kubeconfig !== undefined && credentials !== undefined) {
      conflicts(['credentials'], 'kubeconfig, which says itself how to log in');
    }
    const variables = isPlainObject(environmentVariables) ? Object.keys(environmentVariables) : [];
    for (const name of variables.filter((each) => clusterVariables.test(each))) {
      mustBeSecretly(
        ['environmentVariables', name],
        'left out: the cluster is said by cluster or kubeconfig',
      );
    }
  },
);

/** Longest run where nothing else is said, in seconds. */
const defaultTimeoutSeconds = 1800;

/** Everything that a run of helmfile needs but the cluster, as plain values. Never leaves the process. */
export interface HelmfileSettings {
  /** Without the files that hold values of the program. */
  readonly choice: HelmfileChoice;
  readonly program: string;
  readonly workingDirectory: string;
  readonly stateValues?: HelmfileValues;
  readonly values?: HelmfileValues;
  readonly environmentVariables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Texts that must not be shown. */
  readonly secrets: readonly string[];
}

/** The settings of a run, once everything in them is known. */
export function helmfileSettings(args: HelmfileReleaseArgs): pulumi.Output<HelmfileSettings> {
  const { stateValues, values, environmentVariables = {}, kubeconfig: given } = args;
  const own = resolve(args.workingDirectory ?? '.');
  const path = (file: string): string => resolve(file);
  // A name is looked for on the PATH, where the folder in which helmfile runs has no say.
  const program = (name: string): string => (name.includes('/') ? resolve(name) : name);
  return pulumi
    .all([
      pulumi.output(stateValues),
      pulumi.output(values),
      pulumi.output(environmentVariables),
      pulumi.all([...(args.stateValuesFiles ?? [])]),
      pulumi.all([...(args.valuesFiles ?? [])]),
      pulumi.all([stateValues, values, environmentVariables, given].map(secretTexts)),
    ])
    .apply(([state, chart, environment, stateFiles, valuesFiles, secrets]) => ({
      choice: {
        file: path(args.file),
        environment: args.environment,
        selectors: args.selectors ?? [],
        stateValuesFiles: stateFiles.map(path),
        valuesFiles: valuesFiles.map(path),
        concurrency: args.concurrency,
        helm: program(args.helm ?? 'helm'),
      },
      program: program(args.helmfile ?? 'helmfile'),
      workingDirectory: own,
      stateValues: state as HelmfileValues | undefined,
      values: chart as HelmfileValues | undefined,
      environmentVariables: environment as Record<string, string>,
      timeoutMs: (args.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      secrets: secrets.flat(),
    }));
}

/** The kubeconfig of a run: of a slot it has no credentials in it. */
export function runKubeconfig(args: HelmfileReleaseArgs): pulumi.Output<string> {
  return args.cluster === undefined
    ? pulumi.output(args.kubeconfig!)
    : kubeconfigText(args.cluster, args.credentials);
}

/** The texts of what is secret in a value, at any depth. */
export function secretTexts(value: unknown): pulumi.Output<string[]> {
  if (pulumi.Output.isInstance(value)) {
    return pulumi
      .all([value, pulumi.isSecret(value)])
      .apply(([plain, secret]) => (secret ? textsIn(plain) : []));
  }
  if (value instanceof Promise) {
    return pulumi.output(value).apply(() => []);
  }
  if (typeof value !== 'object' || value === null) {
    return pulumi.output([]);
  }
  return pulumi.all(Object.values(value).map(secretTexts)).apply((texts) => texts.flat());
}

/** What helmfile is run for. */
export type HelmfileVerb = 'list' | 'diff' | 'apply' | 'destroy';

/** What says which helmfile is run, and how. All of it is plain, and nothing of it is secret. */
interface HelmfileChoice {
  readonly file: string;
  readonly environment?: string;
  readonly selectors: readonly string[];
  readonly stateValuesFiles: readonly string[];
  readonly valuesFiles: readonly string[];
  readonly concurrency?: number;
  readonly helm: string;
}

/**
 * The arguments of helmfile. Values are never among them, since every user of the machine can read a process's arguments: they
 * come in files.
 *
 * @see https://helmfile.readthedocs.io/en/latest/cli/
 */
export function helmfileArguments(verb: HelmfileVerb, choice: HelmfileChoice): string[] {
  const { file, environment, selectors, stateValuesFiles, helm } = choice;
  return [
    ...['--file', file, '--no-color', '--helm-binary', helm],
    ...(environment === undefined ? [] : ['--environment', environment]),
    // One flag each: a release that fits any of them is taken.
    ...selectors.flatMap((selector) => ['--selector', selector]),
    ...stateValuesFiles.flatMap((path) => ['--state-values-file', path]),
    verb,
    ...verbArguments(verb, choice),
  ];
}

function verbArguments(verb: HelmfileVerb, { valuesFiles, concurrency }: HelmfileChoice): string[] {
  const limit = concurrency === undefined ? [] : ['--concurrency', String(concurrency)];
  const values = valuesFiles.flatMap((path) => ['--values', path]);
  switch (verb) {
    case 'list':
      return ['--output', 'json', '--skip-charts'];
    case 'diff':
      return ['--detailed-exitcode', '--suppress-secrets', '--context', '3', ...limit, ...values];
    case 'apply':
      return ['--suppress-secrets', '--suppress-diff', '--skip-diff-on-install', ...limit, ...values];
    case 'destroy':
      return ['--skip-charts', ...limit];
  }
}

/**
 * Variables that would lead Helm or helmfile to another cluster, or to other releases.
 * @see https://helm.sh/docs/helm/helm/
 * @see https://github.com/helmfile/helmfile/blob/v1.8.0/pkg/envvar/const.go
 */
const strayVariables =
  /^(HELM_KUBE.*|HELM_NAMESPACE|HELMFILE_(KUBE_CONTEXT|NAMESPACE|ENVIRONMENT|FILE_PATH|INTERACTIVE|HELM_BINARY))$/;

/** The environment of helmfile: the program's own, without what leads elsewhere. */
export function helmfileEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
  places: { readonly kubeconfig: string; readonly temporary: string },
): Record<string, string | undefined> {
  const kept = Object.entries(own).filter(([name]) => !strayVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    HELMFILE_UPGRADE_NOTICE_DISABLED: 'true',
    ...given,
    KUBECONFIG: places.kubeconfig,
    // What helmfile writes down has values in it, and some of it stays behind.
    TMPDIR: places.temporary,
    HELMFILE_TEMPDIR: places.temporary,
    CHARTIFY_TEMPDIR: places.temporary,
  };
}
