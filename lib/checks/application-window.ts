import { parseDuration } from '../durations';
import type { KubernetesObject } from '../kubernetes';
import type { Application } from './application';
import { matchesGlob } from './glob';

/** How the sync window of a shift begins its description: `shiftWindow` of the room `gitops` writes it so. */
const mark = 'cluster-canary: a cluster shift is running';

interface Window {
  readonly kind?: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly applications?: readonly string[];
  readonly clusters?: readonly string[];
  readonly description?: string;
}

/** Whether an Application can't be up to date, since a shift holds up the rollouts of its project. */
export function waitsForShift(
  { name, project = 'default', destination }: Application,
  projects: readonly KubernetesObject[],
  now: number,
): boolean {
  const found = projects.find(({ metadata }) => metadata.name === project);
  const { syncWindows: windows = [] } = (found?.spec ?? {}) as { readonly syncWindows?: readonly Window[] };
  const places = [destination.name, destination.server].filter((each) => each !== undefined);
  return windows.some(
    (window) =>
      window.kind === 'deny' &&
      window.description?.startsWith(mark) === true &&
      isOpen(window, now) &&
      (fits(window.applications, [name]) || fits(window.clusters, places)),
  );
}

/** Opens at one minute of one day, UTC. Its schedule has no year: it may have begun before a New Year's Eve. */
function isOpen({ schedule = '', duration = '' }: Window, now: number): boolean {
  const [minute, hour, day, month] = schedule.split(' ').map(Number);
  const lasts = parseDuration(duration) ?? 0;
  const year = new Date(now).getUTCFullYear();
  return [year - 1, year].some((each) => {
    const opened = Date.UTC(each, (month ?? 0) - 1, day, hour, minute);
    return opened <= now && now < opened + lasts;
  });
}

function fits(patterns: readonly string[] | undefined, texts: readonly string[]): boolean {
  return (patterns ?? []).some((pattern) => texts.some((text) => matchesGlob(pattern, text)));
}
