import { sleep } from '../../core/async';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { openKubernetes } from '../../core/kubernetes/open';
import { Problems, readText } from '../../core/validation/problems';
import { parseClusterSet, withDefaults } from '../../manifests/cluster-sync';
import { eksSource, planClusters, planDocument, syncClusters } from '../../operate/cluster-sync';
import type { PlanDocument, SyncDependencies } from '../../operate/cluster-sync';
import { takeInterrupts } from '../interrupts';
import {
  interruptedStatus,
  jsonText,
  somethingWrong,
  stdoutToStderr,
  writeDocument,
  writeNotes,
  writeOut,
} from '../output';
import { Progress } from '../progress';

/** A plan, or what came of it, for a person, a line each. */
function planLines(document: PlanDocument): readonly string[] {
  const { create, update, delete: remove, keep, skipped, problems, notes, written, failed = [] } = document;
  const told = keep.filter(({ reason }) => reason !== undefined);
  return [
    `Set "${document.clusterSet}", Secrets in namespace "${document.namespace}":`,
    ...create.map(({ secret, arn }) => `  + ${secret}  ${arn ?? ''}`.trimEnd()),
    ...update.map(({ secret, changes }) => `  ~ ${secret}  ${changes.map(changeText).join(', ')}`),
    ...remove.map(({ secret, missingSince }) => `  - ${secret}  missing since ${missingSince}`),
    ...told.map(({ secret, reason }) => `  = ${secret}  ${reason!}`),
    ...skipped.map(({ cluster, arn, reason }) => `  ! ${cluster} (${arn}) left out: ${reason}`),
    `${create.length} to create, ${update.length} to change, ${remove.length} to remove, ${keep.length} as they are, ` +
      `${skipped.length} left out.`,
    ...(written === undefined ? [] : [`${written} written.`]),
    ...problems.map((problem) => `problem: ${problem}`),
    ...notes.map((note) => `note: ${note}`),
    ...failed.map(({ secret, reason }) => `not written: ${secret}: ${reason}`),
  ];
}

function changeText({ field, from, to }: PlanDocument['update'][number]['changes'][number]): string {
  return from === undefined && to === undefined
    ? field
    : `${field}: ${from ?? 'nothing'} -> ${to ?? 'nothing'}`;
}

/** One look of several, as lines of a log; nothing where there is nothing new to report. */
function watchLines(document: PlanDocument, before: PlanDocument | undefined): readonly string[] {
  const linesOf = (each: PlanDocument): readonly string[] =>
    planLines(each).filter((line) => /^( {2}[+~\-=!]|problem|note: |not written)/.test(line));
  const told = new Set(before ? linesOf(before) : []);
  const lines = linesOf(document);
  // A change is logged each time; what stays as it is only when it comes up.
  const fresh = lines.filter((line) => /^ {2}[+~-]/.test(line) || !told.has(line));
  return fresh.length === 0 && before ? [] : [...fresh, `${document.written ?? 0} written.`];
}

type Settings = ReturnType<typeof withDefaults>;

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
    problems.add('--force', true, 'left out with --watch: it is for a single run');
  }
  problems.throwIfAny();
  return withParts(flags, (settings, parts) =>
    flags.watch ? watch(settings, parts) : once(settings, parts),
  );
}

async function once(settings: Settings, parts: SyncDependencies): Promise<PlanDocument> {
  const { plan, ...outcome } = await syncClusters(settings, parts);
  return planDocument(settings, plan, outcome);
}

/** Looks again and again until it is interrupted; answers what the last look found. */
async function watch(settings: Settings, parts: SyncDependencies): Promise<PlanDocument | undefined> {
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
      await sleep(settings.interval * (0.9 + Math.random() / 5), signal);
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
  work: (settings: Settings, parts: SyncDependencies) => Promise<PlanDocument | undefined>,
): Promise<void> {
  const { config, kubeconfig, context, json = false, force = false } = flags;
  const settings = withDefaults(
    parseClusterSet(readText(config, 'a set of clusters, in YAML or JSON'), config),
  );
  const hub = await openKubernetes({ kubeconfig, context });
  const interrupts = takeInterrupts(() => writeNotes('Interrupted.'));
  const { signal } = interrupts;
  const source = eksSource();
  const progress = flags.watch ? undefined : new Progress('clusters read and Secrets written', { count: 0 });
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
  process.exitCode = signal.aborted ? interruptedStatus : statusOf(document);
}

function statusOf(document: PlanDocument | undefined): number {
  const { problems = [], failed = [] } = document ?? {};
  return problems.length > 0 || failed.length > 0 ? somethingWrong : 0;
}

/** What `cluster-canary clusters plan` and `sync` take. */
export interface ClustersFlags {
  /** Path of the set's file. */
  readonly config: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly json?: boolean;
  readonly force?: boolean;
  readonly watch?: boolean;
}
