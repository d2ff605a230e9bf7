import { hostname } from 'node:os';
import { sleep } from '../../core/async';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { mayPass } from '../../core/kubernetes/requests';
import { dnsLabel, dnsSubdomain, oneOfWords } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import {
  isSkipped,
  restartRollouts,
  reportSkipped,
  defaultRestartLimits,
} from '../../operate/restart-rollouts';
import type { RestartRequest, RolloutOutcome } from '../../operate/restart-rollouts';
import { inCluster } from '../in-cluster';
import { jsonText, somethingWrong, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';
import { writeTerminationMessage } from '../written-files';

/** What became of each Rollout, a line each. */
export function restartLines(application: string, outcomes: readonly RolloutOutcome[]): string[] {
  if (outcomes.length === 0) {
    return [`There is no Rollout of the Application ${application}.`];
  }
  return outcomes.flatMap(({ name, outcome, why, restartAt, warning }) => [
    `Rollout ${name}: ${restartAt === undefined ? verdicts[outcome] : `restarted at ${restartAt}`}: ${why}`,
    ...(warning === undefined ? [] : [`Rollout ${name}: warning: ${warning}`]),
  ]);
}

const verdicts: Readonly<Record<RolloutOutcome['outcome'], string>> = {
  restart: 'would be restarted',
  fine: 'left alone',
  changing: 'left alone',
  broken: 'left alone, broken',
  limited: 'left alone, limited',
};

/** What `restart-rollout --json` prints. */
export interface RestartDocument {
  readonly schemaVersion: 1;
  readonly application: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly rollouts: readonly RolloutOutcome[];
}

/** What became of an Application's Rollouts, as a document. */
export function restartDocument(
  { application, namespace, dryRun = false }: Pick<RestartRequest, 'application' | 'namespace' | 'dryRun'>,
  rollouts: readonly RolloutOutcome[],
): RestartDocument {
  return { schemaVersion: 1, application, namespace, dryRun, rollouts };
}

/** Between two looks, in milliseconds. */
const pause = 5_000;

/** The log of a Job is kept. */
const secondsBetweenLines = 30;

/** Runs `cluster-canary restart-rollout`, and sets the exit status. */
export async function restartRollout(flags: RestartFlags): Promise<void> {
  const request = requestOf(flags);
  const { wait = 0, message } = flags;
  await inCluster(flags, async (api, signal) => {
    const progress = new Progress('waiting', { interval: secondsBetweenLines });
    try {
      const seen = await lookUntil(api, request, Date.now() + wait, signal);
      const outcomes = await reportSkipped(api, request, seen, signal);
      const lines = restartLines(request.application, outcomes);
      if (message !== undefined) {
        writeTerminationMessage(message, lines);
      }
      const document = restartDocument(request, outcomes);
      await (flags.json === true ? writeDocument(jsonText(document)) : writeOut(lines));
      process.exitCode = outcomes.some(isSkipped) ? somethingWrong : 0;
    } finally {
      progress.stop();
    }
  });
}

/**
 * The request, from flags of which two come out of a message that anybody may have written.
 *
 * @throws InvalidInput with everything that is wrong
 */
function requestOf(flags: RestartFlags): RestartRequest {
  const { application, namespace, allowedNamespace, dryRun = false } = flags;
  const problems = new Problems('restart-rollout');
  problems.check('--application', application, dnsSubdomain);
  allowedNamespace.forEach((each) => problems.check('--allowed-namespace', each, dnsLabel));
  problems.check('--namespace', namespace, oneOfWords(...allowedNamespace));
  problems.throwIfAny();
  const { coolDown, perDay, minReplicas: leastReplicas } = { ...defaultRestartLimits, ...flags };
  return {
    application,
    namespace,
    limits: { coolDown, perDay, minReplicas: leastReplicas },
    host: hostname(),
    dryRun,
  };
}

/** Looks until no pods are waited for, or the time is up. A Rollout that was restarted stays so in the answer. */
async function lookUntil(
  api: KubernetesApi,
  request: RestartRequest,
  end: number,
  signal: AbortSignal,
): Promise<RolloutOutcome[]> {
  const restarted = new Map<string, RolloutOutcome>();
  for (;;) {
    const late = Date.now() + pause > end;
    try {
      const outcomes = await restartRollouts(api, request, signal);
      outcomes
        .filter(({ restartAt }) => restartAt !== undefined)
        .forEach((each) => restarted.set(each.name, each));
      if (late || !outcomes.some(({ passing }) => passing === true)) {
        return outcomes.map((each) => restarted.get(each.name) ?? each);
      }
    } catch (error) {
      if (late || !mayPass(error)) {
        throw error;
      }
    }
    await sleep(pause, signal);
  }
}

/** What `cluster-canary restart-rollout` takes; durations are in milliseconds. */
export interface RestartFlags {
  readonly application: string;
  readonly namespace: string;
  readonly allowedNamespace: readonly string[];
  readonly coolDown?: number;
  readonly perDay?: number;
  readonly minReplicas?: number;
  readonly wait?: number;
  /** File for what came of it in short. @default - none */
  readonly message?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
