import { resolve } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { kubeconfigText } from '../fleet';
import type { HelmfileReleaseArgs, HelmfileValues } from './arguments';
import { defaultTimeoutSeconds } from './arguments';
import type { HelmfileChoice } from './command-line';
import { textsIn } from './redaction';

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
