import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import { openKubernetes } from '../../../core/kubernetes/open';
import { inspectReadiness, readinessSubjects, unknownRemovals } from '../../../core/readiness';
import type { ReadinessQuestion, ReadinessSubject, SubjectResult } from '../../../core/readiness';
import { errorLine } from '../../../core/validation/problems';
import {
  askedServer,
  eksServer,
  judgeManifests,
  leftOutOf,
  readyDocument,
  readySarif,
  readyText,
  readyVerdict,
  serversResult,
  unopenedResults,
} from '../../../operate/ready';
import type { ReadyReport } from '../../../operate/ready';
import { interruptible } from '../../interruptible';
import {
  couldNotRun,
  jsonText,
  linesOf,
  somethingWrong,
  version,
  writeDocument,
  writeNotes,
  writeOut,
} from '../../output';
import { Progress } from '../../progress';
import { findFiles, readFiles } from '../lint/inputs';
import { materialNotes } from '../lint/notes';
import { checkFlags } from './flags';
import type { ReadyFlags } from './flags';
import { showRights } from './rights';

/** Milliseconds; the subjects are asked all at once. */
const defaultTimeout = 120_000;

/**
 * Runs `cluster-canary ready`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong with flags, or with a kubeconfig
 */
export async function ready(
  paths: readonly string[],
  flags: ReadyFlags,
  all: readonly ReadinessSubject[] = readinessSubjects,
): Promise<void> {
  checkFlags(paths, flags, all);
  const subjects = all.filter(({ name }) => flags.subject?.includes(name) ?? true);
  if (flags.rights === true) {
    await showRights(subjects, flags);
    return;
  }
  const progress = new Progress('files read', { count: 0 });
  const look = async (signal: AbortSignal): Promise<void> => {
    const files = paths.length === 0 ? [] : [manifestsIn(paths, flags.to, progress)];
    const report = await examined(subjects, files, { flags, progress, signal });
    progress.stop();
    await print(report, flags);
    const verdict = readyVerdict(report, flags.failOn);
    process.exitCode = verdict === 'failed' ? somethingWrong : verdict === 'unknown' ? couldNotRun : 0;
  };
  try {
    await interruptible(look);
  } finally {
    progress.stop();
  }
}

interface Run {
  readonly flags: ReadyFlags;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

function manifestsIn(paths: readonly string[], to: string, progress: Progress): SubjectResult {
  const { files, unreadable } = findFiles(paths, undefined);
  const material = readFiles(files, progress.update);
  writeNotes(...materialNotes({ ...material, templates: [] }));
  return judgeManifests({ ...material, unreadable: [...unreadable, ...material.unreadable] }, to);
}

/** Asks the clusters that the flags name, and closes what it has opened. */
async function examined(
  subjects: readonly ReadinessSubject[],
  files: readonly SubjectResult[],
  { flags, progress, signal }: Run,
): Promise<ReadyReport> {
  const { to, cluster, region, roleArn, concurrency, timeout = defaultTimeout } = flags;
  const at = new Date();
  const clients = awsClients({
    ...(region === undefined ? {} : { region }),
    ...(roleArn === undefined ? {} : { roleArn }),
  });
  const servers: Servers = { opened: [] };
  try {
    progress.about('asking the clusters');
    await openServers(servers, subjects, clients, { flags, progress, signal });
    const { kubernetes, newKubernetes, unopened } = servers;
    const question: ReadinessQuestion = {
      ...{ to, concurrency, signal, now: at.getTime() },
      ...(kubernetes ? { kubernetes } : {}),
      ...(newKubernetes ? { newKubernetes } : {}),
      ...(cluster === undefined ? {} : { eks: { clusterName: cluster, clients } }),
      helmReleases: flags.helmReleases === true,
      progress: progress.about,
    };
    const [asked, results] = await Promise.all([
      askedClusters(servers, flags, signal),
      inspectReadiness({ subjects, question, timeout }),
    ]);
    const leftOut = leftOutOf(subjects, question);
    return {
      ...{ to, at, asked },
      subjects: [
        ...serversResult(asked, to).map((each) => withRemovals(each, files, to)),
        ...(unopened === undefined ? [] : unopenedResults(subjects, unopened)),
        ...results,
        ...files,
      ],
      leftOut: leftOut.filter(({ needs }) => unopened === undefined || needs !== 'kubernetes'),
    };
  } finally {
    servers.opened.forEach((api) => api.close());
    clients.close();
  }
}

/** What is not known of a version is said once. */
function withRemovals(result: SubjectResult, files: readonly SubjectResult[], to: string): SubjectResult {
  return files.length > 0 ? result : { ...result, untried: [...result.untried, ...unknownRemovals(to)] };
}

type Server = Awaited<ReturnType<typeof openKubernetes>>;

interface Servers {
  kubernetes?: Server;
  newKubernetes?: Server;
  /** Why EKS's own API server could not be opened. */
  unopened?: string;
  readonly opened: Server[];
}

async function openServers(
  servers: Servers,
  subjects: readonly ReadinessSubject[],
  clients: AwsClients,
  { flags, signal }: Run,
): Promise<void> {
  const { kubeconfig, context, newKubeconfig, newContext, cluster, roleArn } = flags;
  const open = async (settings: Parameters<typeof openKubernetes>[0]): Promise<Server> => {
    const api = await openKubernetes(settings);
    servers.opened.push(api);
    return api;
  };
  if (kubeconfig !== undefined || context !== undefined) {
    servers.kubernetes = await open({ kubeconfig, context });
  } else if (cluster !== undefined && subjects.some(({ needs }) => needs !== 'eks')) {
    try {
      const wanted = { clusterName: cluster, clients, roleArn, signal };
      servers.kubernetes = await open({ kubeconfigText: await eksServer(wanted) });
    } catch (error) {
      signal.throwIfAborted();
      servers.unopened = errorLine(error);
    }
  }
  if (newKubeconfig !== undefined || newContext !== undefined) {
    servers.newKubernetes = await open({ kubeconfig: newKubeconfig ?? kubeconfig, context: newContext });
  }
}

async function askedClusters(
  { kubernetes, newKubernetes }: Servers,
  { cluster, timeout = defaultTimeout }: ReadyFlags,
  signal: AbortSignal,
): Promise<ReadyReport['asked']> {
  const [now, next] = await Promise.all(
    [kubernetes, newKubernetes].map(async (api) => api && askedServer(api, signal, timeout)),
  );
  return {
    ...(now ? { kubernetes: now } : {}),
    ...(next ? { newKubernetes: next } : {}),
    ...(cluster === undefined ? {} : { eks: cluster }),
  };
}

async function print(report: ReadyReport, { format }: ReadyFlags): Promise<void> {
  switch (format) {
    case 'json':
      return writeDocument(jsonText(readyDocument(report)));
    case 'sarif':
      return writeDocument(jsonText(readySarif(report, version())));
    case 'text':
      return writeOut(linesOf(readyText(report)));
  }
}
