import type { KubernetesSettings } from '../kubernetes';
import { openKubernetes } from '../kubernetes';
import type { Verdict } from '../shift';
import { namedHub } from './named-hub';
import type { WatchedRouter } from './window-shift';
import { WindowShift } from './window-shift';
import type { WindowedHub } from './window-writer';

/** A sync window that is kept while a shift runs, and where. */
export interface KeptWindow {
  /** Name of the shift: its window is known by it, and those of others stay as they are. */
  readonly name: string;
  /** Hubs that get the window. */
  readonly hubs: readonly KeptWindowHub[];
  /** Destination clusters by name or server, with wildcards. @default - every Application of the projects */
  readonly clusters?: readonly string[];
  /**
   * How long a window outlives a run that was killed, as Go writes durations. It is renewed while the run lives.
   * @default '1h'
   */
  readonly lasts?: string;
}

/** A hub, and the projects whose automated rollouts wait. */
export interface KeptWindowHub extends KubernetesSettings {
  /** For messages. @default - the context, the file or the server */
  readonly name?: string;
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** Names of its AppProjects. */
  readonly projects: readonly string[];
}

/** The window of a shift, while its routes shift. */
export interface OpenWindows {
  /** The router and the observer of a route: its first step waits until the window is there. */
  around(watched: WatchedRouter): WatchedRouter;
  /**
   * Takes the window away where the shift is over.
   *
   * @param verdict of all routes together
   */
  end(verdict: Verdict): Promise<void>;
  /** Renews it no more, and closes connections. */
  close(): void;
}

const defaultLasts = '1h';

/** Traffic waits for a hub that does not answer no longer than this takes. */
const limits = { attempts: 2 };

/**
 * Opens the hubs of a window. Nothing is asked yet.
 *
 * @param kept without it nothing is opened, and nothing is written
 * @param say a line about what could not be written
 * @throws InvalidInput where a kubeconfig can't be used
 */
export async function openWindows(
  kept: KeptWindow | undefined,
  say: (line: string) => void,
): Promise<OpenWindows> {
  if (kept === undefined) {
    return { around: (watched) => watched, end: () => Promise.resolve(), close: () => undefined };
  }
  const { lasts = defaultLasts, name, clusters } = kept;
  const hubs: WindowedHub[] = [];
  const closeAll = (): void => hubs.forEach(({ api }) => api.close());
  try {
    for (const hub of kept.hubs) {
      const api = await openKubernetes(hub, limits);
      hubs.push({ ...namedHub(hub, api), projects: hub.projects });
    }
  } catch (error) {
    closeAll();
    throw error;
  }
  // The constructs that a window is one of are loaded only where one is kept.
  const { WindowWriter } = await import('./window-writer');
  const shift = new WindowShift(new WindowWriter({ name, lasts, clusters }, hubs, say), lasts, say);
  return {
    around: (watched) => shift.around(watched),
    end: (verdict) => shift.end(verdict),
    close: () => {
      shift.stop();
      closeAll();
    },
  };
}
