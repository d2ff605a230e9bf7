import { systemClock } from '../../core/async';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { readBoundedLater } from '../../core/files/read';
import { httpClient } from '../../core/http';
import { openKubernetes } from '../../core/kubernetes/open';
import { runProgram } from '../../core/process/run-program';
import { InvalidInput, Problems, isMapping } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Check, ShiftSubject } from '../engine';
import type { CheckContext, IamStatement, KubernetesRight } from './check-kind';
import { awsAlarms } from './cloudwatch/alarms';
import { awsMetricData } from './cloudwatch/source';
import { checkKind, checkKinds } from './registry';
import type { CheckSettings } from './registry';
import { sharedKubernetes } from './shared/kubernetes-source';
import { awsTargetHealth } from './targets';

/** No key and no bundle of authorities is longer; in bytes. */
const longestSecretFile = 4_000_000;

/** What checks are made with outside of tests. */
export function checkContext(subject: ShiftSubject, given: Partial<CheckContext> = {}): CheckContext {
  const clients = new Map<string | undefined, AwsClients>();
  const aws = (region = subject.region): AwsClients => {
    const known = clients.get(region) ?? awsClients({ region, roleArn: subject.roleArn });
    clients.set(region, known);
    return known;
  };
  return {
    subject,
    clock: systemClock,
    env: process.env,
    random: Math.random,
    readFile: async (path) => (await readBoundedLater(path, longestSecretFile)).toString('utf8'),
    http: httpClient(),
    metricData: (region) => awsMetricData(aws(region)),
    credentials: async () => (await aws().cloudWatch()).config.credentials(),
    targetHealth: { targets: (arn, signal) => awsTargetHealth(aws()).targets(arn, signal) },
    alarms: { alarms: (names, signal) => awsAlarms(aws()).alarms(names, signal) },
    kubernetes: sharedKubernetes((settings) => openKubernetes(settings)),
    runProgram,
    ...given,
  };
}

/**
 * Everything that is wrong with a plan's checks, with paths such as `checks[2].cloudWatch.errorShare.max`.
 *
 * @param checks as they were read: nothing is known of them
 * @param isOpen which check holds a value that is not known yet, so that it can not be judged now
 */
export function checkProblems(
  checks: unknown,
  subject: ShiftSubject,
  isOpen: (settings: unknown) => boolean = () => false,
): readonly Problem[] {
  const problems = new Problems('checks');
  if (!Array.isArray(checks)) {
    problems.add('checks', checks, 'a list');
    return problems.all;
  }
  const names = new Set<string>();
  checks.forEach((settings: unknown, index) => {
    if (isOpen(settings)) {
      return;
    }
    const path = `checks[${index}]`;
    const one = readSettings(settings);
    if (!one) {
      // What stands behind the keys may be a kubeconfig.
      const shown = isMapping(settings) ? Object.keys(settings) : settings;
      problems.add(path, shown, 'an object with exactly one key, the kind of the check');
      return;
    }
    const found = checkKind(one.kind);
    if (!found) {
      problems.add(`${path}.${one.kind}`, one.kind, `one of ${Object.keys(checkKinds).join(', ')}`);
      return;
    }
    if (!one.args) {
      problems.addSecret(`${path}.${one.kind}`, 'an object');
      return;
    }
    addAll(problems, found.problems(one.args, subject), `${path}.${one.kind}`);
    const { name } = one.args;
    if (typeof name === 'string' && names.has(name)) {
      problems.add(`${path}.${one.kind}.name`, name, 'another name: a check before it has this one');
    } else if (typeof name === 'string') {
      names.add(name);
    }
  });
  return problems.all;
}

/** A problem without a path is one of the check itself. */
function addAll(problems: Problems, found: readonly Problem[], path: string): void {
  problems.addAll(
    found.map((problem) => ({ ...problem, path: problem.path ? `${path}.${problem.path}` : path })),
  );
}

/** The kind and its settings; `- targetHealth:` of a YAML file has none. */
function readSettings(
  settings: unknown,
): { kind: string; args: Readonly<Record<string, unknown>> | undefined } | undefined {
  if (!isMapping(settings)) {
    return undefined;
  }
  const [entry, ...others] = Object.entries(settings);
  if (entry === undefined || others.length > 0) {
    return undefined;
  }
  const [kind, given] = entry;
  const args = given ?? {};
  return { kind, args: isMapping(args) ? args : undefined };
}

interface NamedSettings {
  readonly name: string;
  readonly kind: NonNullable<ReturnType<typeof checkKind>>;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Makes the checks of a plan. Nobody is asked yet.
 *
 * @throws InvalidInput with everything that is wrong, also where a check needs an ARN or a name that is not known
 */
export function createChecks(checks: readonly CheckSettings[], context: CheckContext): readonly Check[] {
  const problems = new Problems('checks');
  problems.addAll(checkProblems(checks, context.subject));
  problems.throwIfAny();
  const made = named(checks).flatMap(({ name, kind, args }) => {
    try {
      return kind.create(name, args, context);
    } catch (error) {
      if (!(error instanceof InvalidInput)) {
        throw error;
      }
      problems.addAll(error.problems, name);
      return [];
    }
  });
  problems.throwIfAny();
  return made;
}

/** Rights at AWS that the checks need, each once. */
export function checkRights(
  checks: readonly CheckSettings[],
  subject: ShiftSubject,
): readonly IamStatement[] {
  return distinct(named(checks).flatMap(({ kind, args }) => kind.rights(args, subject)));
}

/** Rights on API servers of Kubernetes that the checks need, each once. */
export function checkAccess(
  checks: readonly CheckSettings[],
  subject: ShiftSubject,
): readonly KubernetesRight[] {
  return distinct(named(checks).flatMap(({ kind, args }) => kind.access?.(args, subject) ?? []));
}

/** A check has the name that it was given, or that of its kind; the second of a kind is `targetHealth 2`. */
function named(checks: readonly CheckSettings[]): readonly NamedSettings[] {
  const read = checks.flatMap((settings) => {
    const { kind = '', args = {} } = readSettings(settings) ?? {};
    const found = checkKind(kind);
    return found ? [{ word: kind, kind: found, args }] : [];
  });
  const taken = new Set(read.flatMap(({ args }) => (typeof args.name === 'string' ? [args.name] : [])));
  return read.map(({ word, kind, args }) => {
    const name = typeof args.name === 'string' ? args.name : free(word, taken);
    taken.add(name);
    return { name, kind, args };
  });
}

function free(word: string, taken: ReadonlySet<string>): string {
  let name = word;
  for (let number = 2; taken.has(name); number += 1) {
    name = `${word} ${number}`;
  }
  return name;
}

function distinct<Right>(rights: readonly Right[]): readonly Right[] {
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
}
