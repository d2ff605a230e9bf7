import { setTimeout } from 'node:timers/promises';
import type { PlanDocument, SyncParts } from '../../clusterset';
import {
  eksSource,
  parseClusterSet,
  planClusters,
  planDocument,
  settingsOf,
  syncClusters,
} from '../../clusterset';
import { isKubernetesError, openKubernetes } from '../../kubernetes';
import { Problems, readText } from '../../problems';
import { interrupted, somethingWrong } from '../exit-status';
import { takeInterrupts } from '../interrupts';
import { jsonText, stdoutToStderr, writeDocument, writeNotes, writeOut } from '../output';
import { Progress } from '../progress';
import type { ClustersFlags } from './clusters-flags';
import { planLines, watchLines } from './plan-text';

type Settings = ReturnType<typeof settingsOf>;

/** Runs `cluster-canary clusters plan`, and sets the exit status. */
export function showPlan(flags: ClustersFlags): Promise<void> {
  return withParts(flags, async (settings, parts) =>
    planDocument(settings, await planClusters(settings, parts)),
  );
}

/** Runs `cluster-canary clusters sync`, and sets the exit status. */
export function sync(flags: ClustersFlags): Promise<void> {
  const problems = new Problems('clusters sync');
  if (flags.watch && flags.force) {
    problems.add('--force', true, 'left out with --watch: it is for one run that somebody looks at');
  }
  problems.throwIfAny();
  return withParts(flags, (settings, parts) =>
    flags.watch ? watch(settings, parts) : once(settings, parts),
  );
}

async function once(settings: Settings, parts: SyncParts): Promise<PlanDocument> {
  const { plan, ...outcome } = await syncClusters(settings, parts);
  return planDocument(settings, plan, outcome);
}

/** Looks again and again until it is interrupted; answers what the last look found. */
async function watch(settings: Settings, parts: SyncParts): Promise<PlanDocument | undefined> {
  const { signal } = parts;
  const say = (line: string): void => writeNotes(`${new Date().toISOString()} ${line}`);
  let last: PlanDocument | undefined;
  try {
    for (;;) {
      try {
        const document = await once(settings, parts);
        watchLines(document, last).forEach(say);
        last = document;
      } catch (error) {
        if (!isKubernetesError(error)) {
          throw error;
        }
        say(`error: ${(error as Error).message}`);
      }
      // Many of these may have been started at once.
      await setTimeout(settings.interval * (0.9 + Math.random() / 5), undefined, { signal });
    }
  } catch (error) {
    if (!signal?.aborted) {
      throw error;
    }
    return last;
  }
}

async function withParts(
  flags: ClustersFlags,
  work: (settings: Settings, parts: SyncParts) => Promise<PlanDocument | undefined>,
): Promise<void> {
  const { config, kubeconfig, context, json = false, force = false } = flags;
  const settings = settingsOf(
    parseClusterSet(readText(config, 'a set of clusters, in YAML or JSON'), config),
  );
  const hub = await openKubernetes({ kubeconfig, context });
  const interrupts = takeInterrupts(() => writeNotes('Interrupted.'));
  const { signal } = interrupts;
  const source = eksSource();
  const progress = flags.watch
    ? undefined
    : new Progress('clusters looked at and Secrets written', { count: 0 });
  const undo = stdoutToStderr();
  let document: PlanDocument | undefined;
  try {
    const onProgress = (count: number): void => progress?.update(count);
    document = await work(settings, { source, hub, force, signal, onProgress });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  } finally {
    progress?.stop();
    undo();
    interrupts.release();
    source.close();
    hub.close();
  }
  if (document !== undefined && (json || !flags.watch)) {
    await (json ? writeDocument(jsonText(document)) : writeOut(planLines(document)));
  }
  process.exitCode = signal.aborted ? interrupted : statusOf(document);
}

function statusOf(document: PlanDocument | undefined): number {
  const { problems = [], failed = [] } = document ?? {};
  return problems.length > 0 || failed.length > 0 ? somethingWrong : 0;
}
