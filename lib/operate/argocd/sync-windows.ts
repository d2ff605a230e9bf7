import { parseDuration } from '../../core/durations';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { openKubernetes } from '../../core/kubernetes/open';
import type { Router, ShiftObserver, Verdict } from '../../shift/engine';
import { namedHub } from './registrations';
import type { WindowWriter, WindowedHub } from './window-writer';

/** A router and who watches it, as a shift takes them. */
export interface WatchedRouter {
  /** What holds the weights. */
  readonly router: Router;
  /** Called with each event as it happens. */
  readonly observer: ShiftObserver;
}

/**
 * Keeps the sync window of a shift: it is put in before the first step is written, by whichever route comes first, renewed
 * while the shift runs, and taken away when it is complete or rolled back.
 *
 * It does not come earlier, since a new slot's Applications have to be deployed before the slot may get its first percent;
 * and a rollback does not wait for it.
 */
export class WindowShift {
  private opening: Promise<void> | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private isOpen = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param lasts of the window, as Go writes durations; it is renewed when half of it has passed
   */
  public constructor(
    private readonly writer: Pick<WindowWriter, 'open' | 'close'>,
    private readonly lasts: string,
    private readonly say: (line: string) => void,
  ) {}

  /** The router and the observer of one route, watched. */
  public around({ router, observer }: WatchedRouter): WatchedRouter {
    let isAboutToWrite = false;
    return {
      router: {
        name: router.name,
        read: async (signal) => {
          // A shift reads the live weights before each write. Between that and the write there must be nothing.
          if (isAboutToWrite) {
            await this.opened(signal);
          }
          return router.read(signal);
        },
        write: (weights, signal, expected) => router.write(weights, signal, expected),
      },
      observer: {
        ...observer,
        progress: (now) => {
          isAboutToWrite = now.activity === 'writing';
          observer.progress?.(now);
        },
      },
    };
  }

  /** @param verdict of all routes together */
  public async end(verdict: Verdict): Promise<void> {
    this.stop();
    await this.opening;
    await this.running;
    if (verdict === 'completed' || verdict === 'rolledBack') {
      // Also where it was not opened: a run that was killed may have left one.
      await this.writer.close();
    } else if (this.isOpen) {
      this.say(
        `sync window: automated rollouts wait on, since the shift is not over; within ${this.lasts} they go on automatically`,
      );
    }
  }

  /** Renews it no more. */
  public stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  private async opened(signal: AbortSignal | undefined): Promise<void> {
    this.opening ??= this.open(signal);
    await this.opening;
  }

  private async open(signal: AbortSignal | undefined): Promise<void> {
    this.isOpen = await this.writer.open(signal);
    if (this.isStopped) {
      return;
    }
    this.timer = setInterval(
      () => {
        this.running = this.running.then(() => this.writer.open());
      },
      parseDuration(this.lasts)! / 2,
    );
    this.timer.unref();
  }
}

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
