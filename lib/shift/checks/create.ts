import { systemClock } from '../../core/async';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { processSecrets } from '../../core/secret-source';
import { httpClient } from '../../core/http';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { openKubernetes, openedOnce } from '../../core/kubernetes/open';
import { runProgram } from '../../core/process/run-program';
import { InvalidInput, Problems, isPlainObject } from '../../core/validation/problems';
import { placedBelow } from '../../core/validation/schema';
import type { PathSteps, PlacedProblem } from '../../core/validation/schema';
import type { Check, ShiftSubject } from '../engine';
import { OwnRequests, sendProbe } from '../probes';
import type { CheckContext } from './check-context';
import type { IamStatement, ClusterAccessRule, CommonCheckArgs } from './check-kind';
import { awsAlarms } from './cloudwatch/alarms';
import { awsMetricData } from './cloudwatch/source';
import { allowedWords, kindOf, readCheckSettings, settingsProblems } from './kinds';
import type { AnyCheckKind, CheckSettings } from './kinds';
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
  const kubernetes = openedOnce((settings: KubernetesSettings) => openKubernetes(settings));
  return {
    subject,
    clock: systemClock,
    ...processSecrets(longestSecretFile),
    random: Math.random,
    http: httpClient(),
    sendProbe,
    ownRequests: new OwnRequests(),
    aws,
    metricData: (region) => awsMetricData(aws(region)),
    credentials: async () => (await aws().cloudWatch()).config.credentials(),
    targetHealth: { targets: (arn, signal) => awsTargetHealth(aws()).targets(arn, signal) },
    alarms: { alarms: (names, signal) => awsAlarms(aws()).alarms(names, signal) },
    kubernetes,
    kubernetesJobs: kubernetes,
    runProgram,
    ...given,
  };
}

/**
 * Everything that is wrong with a plan's checks, with paths such as `checks[2].cloudWatch.errorShare.max`.
 *
 * @param checks as they were read: nothing is known of them
 * @param isOpen which check holds a value that is not known yet, so that it can not be evaluated now
 */
export function checkProblems(
  checks: unknown,
  subject: ShiftSubject,
  isOpen: (settings: unknown) => boolean = () => false,
): readonly PlacedProblem[] {
  const found: PlacedProblem[] = [];
  const add = (steps: PathSteps, problem: { readonly allowed: string; readonly value?: unknown }): void => {
    found.push(...placedBelow(steps, [{ path: '', ...problem }]));
  };
  if (!Array.isArray(checks)) {
    add(['checks'], { value: checks, allowed: 'a list' });
    return found;
  }
  const names = new Set<string>();
  checks.forEach((settings: unknown, index) => {
    if (isOpen(settings)) {
      return;
    }
    const path = ['checks', index];
    const one = readCheckSettings(settings);
    if (!one) {
      // What stands behind the keys may be a kubeconfig.
      const shown = isPlainObject(settings) ? Object.keys(settings) : settings;
      add(path, { value: shown, allowed: 'an object with exactly one key, the kind of the check' });
      return;
    }
    const kind = kindOf(one.word);
    if (!kind) {
      add([...path, one.word], { value: one.word, allowed: allowedWords(one.word) });
      return;
    }
    if (!one.args) {
      add([...path, one.word], { allowed: 'an object' });
      return;
    }
    found.push(...placedBelow([...path, one.word], settingsProblems(kind, one.args, subject)));
    const { name } = one.args;
    if (typeof name === 'string' && names.has(name)) {
      add([...path, one.word, 'name'], {
        value: name,
        allowed: 'another name: a check before it has this one',
      });
    } else if (typeof name === 'string') {
      names.add(name);
    }
  });
  return found;
}

/** A check of a plan with the name that it has in reports. */
export interface NamedSettings {
  /** Unique in the plan. */
  readonly name: string;
  /** Word of its kind. */
  readonly word: string;
  /** Its kind. */
  readonly kind: AnyCheckKind;
  /** Its settings. */
  readonly args: CommonCheckArgs;
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
  const made = namedChecks(checks).flatMap(({ name, kind, args }) => {
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
  return distinct(namedChecks(checks).flatMap(({ kind, args }) => kind.permissions?.(args, subject) ?? []));
}

/** Rights on API servers of Kubernetes that the checks need, each once. */
export function checkAccess(
  checks: readonly CheckSettings[],
  subject: ShiftSubject,
): readonly ClusterAccessRule[] {
  return distinct(namedChecks(checks).flatMap(({ kind, args }) => kind.access?.(args, subject) ?? []));
}

/**
 * The checks of a plan with their names: a check has the name that it was given, or that of its kind; the second of a kind is
 * `targetHealth 2`.
 */
export function namedChecks(checks: readonly unknown[]): readonly NamedSettings[] {
  const read = checks.flatMap((settings) => {
    const { word = '', args = {} } = readCheckSettings(settings) ?? {};
    const kind = kindOf(word);
    return kind ? [{ word, kind, args }] : [];
  });
  const taken = new Set(read.flatMap(({ args }) => (typeof args.name === 'string' ? [args.name] : [])));
  return read.map((each) => {
    const name = typeof each.args.name === 'string' ? each.args.name : free(each.word, taken);
    taken.add(name);
    return { name, ...each };
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

/** A tenth above the load before the shift is what autoscalers tolerate; none has to follow where pods come first. */
const besideCapacity = { maxLoad: 1.1, follow: '24h' } as const;

/**
 * The checks of a shift that raises capacity. Pods that are ready are no healthy targets yet, so a step waits for those, too.
 *
 * @param haveTargets whether every slot has a target group on everything that is shifted
 */
export function checksBesideCapacity(
  checks: readonly CheckSettings[],
  haveTargets: boolean,
): readonly CheckSettings[] {
  const isThere = checks.some((check) => 'capacity' in check);
  return [
    ...checks.map((check) =>
      'capacity' in check ? { capacity: { ...besideCapacity, ...check.capacity } } : check,
    ),
    ...(haveTargets && !isThere ? [{ capacity: besideCapacity }] : []),
  ];
}
