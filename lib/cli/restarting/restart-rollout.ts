import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { KubernetesApi } from '../../kubernetes';
import { dnsLabel, dnsSubdomain, oneOf, Problems } from '../../problems';
import type { RestartRequest, RolloutOutcome } from '../../progressive';
import { isLeftAlone, restartRollouts, tellLeftAlone, usualLimits } from '../../progressive';
import { somethingWrong } from '../exit-status';
import { inCluster } from '../in-cluster';
import { mayPass } from '../may-pass';
import { writeTerminationMessage } from '../termination-message';
import { jsonText, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';
import { restartDocument } from './restart-document';
import type { RestartFlags } from './restart-flags';
import { restartLines } from './restart-text';

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
      const outcomes = await tellLeftAlone(api, request, seen, signal);
      const lines = restartLines(request.application, outcomes);
      if (message !== undefined) {
        writeTerminationMessage(message, lines);
      }
      const document = restartDocument(request, outcomes);
      await (flags.json === true ? writeDocument(jsonText(document)) : writeOut(lines));
      process.exitCode = outcomes.some(isLeftAlone) ? somethingWrong : 0;
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
  problems.check('--namespace', namespace, oneOf(...allowedNamespace));
  problems.throwIfAny();
  const { coolDown, perDay, leastReplicas } = { ...usualLimits, ...flags };
  return { application, namespace, limits: { coolDown, perDay, leastReplicas }, host: hostname(), dryRun };
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
    await setTimeout(pause, undefined, { signal });
  }
}
