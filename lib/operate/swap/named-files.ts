import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { accessProblems } from '../../core/kubernetes/open';
import { formatProblem, isPlainObject } from '../../core/validation/problems';
import type { CheckSettings } from '../../shift/checks';
import type { CheckedSwapFile } from './file/swap-file';
import type { RunPhase } from './swap-run';

/** Phases whose settings name files on this machine. */
type NamingPhase = 'ready' | 'deliver' | 'try' | 'soak' | 'drain';

const naming: readonly NamingPhase[] = ['ready', 'deliver', 'try', 'soak', 'drain'];

/**
 * What phases name on this machine and can't be used, a line each with its place in the file: manifests, kubeconfigs, contexts.
 * No one is asked. Contexts by slot are passed over: that of a new cluster may come with it.
 *
 * @param own phases that a runner of the user's own runs
 */
export async function namedFileProblems(
  swap: Pick<CheckedSwapFile, 'file' | 'phases'>,
  own: readonly RunPhase[] = [],
): Promise<readonly string[]> {
  const phases = naming.filter((phase) => !own.includes(phase));
  const found = await Promise.all(phases.map((phase) => phaseFileProblems(swap, phase)));
  return found.flat();
}

/** The same of one phase; of one that is left out, nothing. */
export async function phaseFileProblems(
  { file, phases }: Pick<CheckedSwapFile, 'file' | 'phases'>,
  phase: NamingPhase,
): Promise<readonly string[]> {
  const hubs = phases.drain?.hubs ?? [];
  if (phase === 'drain') {
    const found = hubs.map((hub, index) => kubeconfigProblems(`phases.drain.hubs[${index}]`, hub));
    return (await Promise.all(found)).flat();
  }
  if (phases[phase]?.skip === true) {
    return [];
  }
  if (phase === 'ready') {
    return manifestProblems(phases.ready?.manifests ?? [], dirname(file));
  }
  const checks = phases[phase]?.checks ?? [];
  const found = checks.map((check, index) =>
    checkFileProblems(`phases.${phase}.checks[${index}]`, check, hubs),
  );
  return (await Promise.all(found)).flat();
}

function manifestProblems(paths: readonly string[], base: string): readonly string[] {
  return paths.flatMap((value, index) => {
    const path = resolve(base, value);
    try {
      accessSync(path, constants.R_OK);
      return [];
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      const allowed = `a file or folder that can be read: ${path} (${code})`;
      return [formatProblem({ path: `phases.ready.manifests[${index}]`, value, allowed })];
    }
  });
}

/** @param hubs of which checks are made where a file gives none: they have a place of their own */
async function checkFileProblems(
  place: string,
  check: CheckSettings,
  hubs: readonly object[],
): Promise<readonly string[]> {
  const [word = '', settings] = Object.entries(check)[0] ?? [];
  const given: Readonly<Record<string, unknown>> = isPlainObject(settings) ? settings : {};
  const { kubeconfig, context, kubeconfigText, kubeconfigTexts } = given;
  if (kubeconfigText !== undefined || kubeconfigTexts !== undefined || hubs.includes(given)) {
    return [];
  }
  const asked = {
    ...(typeof kubeconfig === 'string' && { kubeconfig }),
    ...(typeof context === 'string' && { context }),
  };
  if (word === 'argoApplications') {
    return kubeconfigProblems(`${place}.${word}`, asked);
  }
  // Others ask the clusters of slots: without a kubeconfig, EKS says where these are.
  return asked.kubeconfig === undefined ? [] : kubeconfigProblems(`${place}.${word}`, asked, 'file');
}

/**
 * What is wrong with a kubeconfig and the context in it, a line each.
 *
 * @param place in the swap file: `phases.drain.hubs[0]`
 * @param extent `file`: which contexts there are does not matter yet
 */
export async function kubeconfigProblems(
  place: string,
  { kubeconfig, context }: { readonly kubeconfig?: string; readonly context?: string },
  extent: 'file' | 'context' = 'context',
): Promise<readonly string[]> {
  const found = await accessProblems({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
  return found
    .filter(
      ({ path }) => extent === 'context' || (path !== 'context' && path !== 'kubeconfig.current-context'),
    )
    .map((problem) => formatProblem({ ...problem, path: `${place}.${problem.path}` }));
}
