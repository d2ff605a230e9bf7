import * as pulumi from '@pulumi/pulumi';
import { resolve } from 'node:path';
import { iamRoleArn } from '../../core/aws/arns';
import { textsIn } from '../../core/redaction';
import { variableName, wholeNumber } from '../../core/validation/formats';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import { clusterCredentialsKeys, kubeconfigText } from '../fleet';
import type { ClusterCredentials, SlotRef } from '../fleet';
import { checkInput } from '../inputs';

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

/** A word that can't be taken for a flag. */
const word = (what: string): Format => ({
  allowed: `${what}, not empty and not beginning with "-"`,
  accepts: (value) => typeof value === 'string' && /^[^-\s]/.test(value),
});

/** @see https://helmfile.readthedocs.io/en/latest/#labels-overview */
const selector: Format = {
  allowed: 'a label selector such as "tier=front" or "tier=front,name!=web"',
  accepts: (value) =>
    typeof value === 'string' &&
    /^[^=!,\s-][^=!,\s]*!?=[^=!,\s]+(,[^=!,\s-][^=!,\s]*!?=[^=!,\s]+)*$/.test(value),
};

/** Everything that is wrong with the plain values. */
export function argumentProblems(args: HelmfileReleaseArgs): readonly Problem[] {
  const problems = new Problems('HelmfileRelease');
  problems.check('file', args.file, word('the path of a helmfile'));
  if ((args.cluster === undefined) === (args.kubeconfig === undefined)) {
    problems.addSecret('cluster', 'given, or else kubeconfig: one of the two');
  }
  if (args.kubeconfig !== undefined && args.credentials !== undefined) {
    problems.addSecret('credentials', 'left out with kubeconfig, which says itself how to log in');
  }
  checkInput(problems, 'credentials.roleArn', args.credentials?.roleArn, iamRoleArn);
  problems.checkGiven('', args, {
    environment: word('the name of an environment'),
    workingDirectory: word('the path of a folder'),
    helmfile: word('a program'),
    helm: word('a program'),
    concurrency: wholeNumber(1, 100),
    timeoutSeconds: wholeNumber(1, 7200),
  });
  if (args.selectors?.length === 0) {
    problems.add('selectors', [], 'one or more, or left out for every release');
  }
  args.selectors?.forEach((each, position) => problems.check(`selectors[${position}]`, each, selector));
  for (const key of ['stateValuesFiles', 'valuesFiles'] as const) {
    args[key]?.forEach((path, position) => {
      if (typeof path === 'string') {
        problems.check(`${key}[${position}]`, path, word('the path of a file'));
      }
    });
  }
  Object.keys(args.environmentVariables ?? {}).forEach((name) => {
    problems.check(`environmentVariables.${name}`, name, variableName);
    if (/^(KUBECONFIG|HELM_KUBE.*|HELMFILE_KUBE_CONTEXT)$/.test(name)) {
      problems.addSecret(
        `environmentVariables.${name}`,
        'left out: the cluster is said by cluster or kubeconfig',
      );
    }
  });
  return problems.all;
}
