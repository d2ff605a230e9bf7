import type { KubernetesObject, ObjectReference } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { shiftWindow, withShiftWindow, withoutShiftWindow } from '../../manifests/argocd';
import type { SyncWindow } from '../../manifests/argocd';
import type { Hub } from './registrations';

/** Whose window is kept, and what it holds up. */
interface WantedWindow {
  /** Name of the shift: windows of others stay as they are. */
  readonly name: string;
  /** Destination clusters by name or server, with wildcards. @default - every Application of the project */
  readonly clusters?: readonly string[];
  /** How long it holds without being renewed, as Go writes durations. */
  readonly lasts: string;
}

/** Clocks differ: a window that opens a little earlier is open for the hub, too. */
const earlierMs = 2 * 60_000;

const minuteMs = 60_000;

/**
 * A project's windows while a shift runs: those that are there, and the shift's own, made anew.
 *
 * Argo CD refuses a project with two windows that differ in their descriptions alone, so another shift's window of the same
 * minute makes this one open a minute earlier.
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go (HashIdentity)
 *
 * @param now milliseconds since 1970
 */
export function windowsDuringShift(
  windows: readonly SyncWindow[],
  { name, clusters = [], lasts }: WantedWindow,
  now: number,
): SyncWindow[] {
  const others = withoutShiftWindow(windows, name);
  const scope = clusters.length > 0 ? { clusters } : { applications: ['*'] };
  const opensAt = (at: number): SyncWindow => shiftWindow({ from: new Date(at), lasts, ...scope, of: name });
  let at = now - earlierMs;
  let window = opensAt(at);
  while (others.some((each) => each.schedule === window.schedule && each.duration === window.duration)) {
    at -= minuteMs;
    window = opensAt(at);
  }
  return withShiftWindow(others, window);
}

/**
 * A project's windows after a shift.
 *
 * @returns undefined where it has none of this shift
 */
export function windowsAfterShift(windows: readonly SyncWindow[], name: string): SyncWindow[] | undefined {
  const others = withoutShiftWindow(windows, name);
  return others.length === windows.length ? undefined : others;
}

/** Who writes windows. The field has no owner again when the window is taken away. */
export const windowManager = 'cluster-canary-window';

/** A hub, and the projects whose rollouts wait. */
export interface WindowedHub extends Hub {
  readonly projects: readonly string[];
}

/** Another client may write a project at the same moment. */
const mostTries = 5;

/**
 * Puts the window of a shift into AppProjects and takes it away. Each write is based on what it has read, so that windows
 * which another client sets at the same time stay. What can't be written is logged and is no error, as with labels.
 */
export class WindowWriter {
  public constructor(
    private readonly wanted: WantedWindow,
    private readonly hubs: readonly WindowedHub[],
    private readonly say: (line: string) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Puts it into every project, or makes it last longer; answers whether it is in any. */
  public async open(signal?: AbortSignal): Promise<boolean> {
    const decide = (windows: readonly SyncWindow[]): SyncWindow[] =>
      windowsDuringShift(windows, this.wanted, this.now());
    return this.everywhere(
      async (hub, project) => {
        await this.write(hub, project, decide, signal);
      },
      'rollouts of applications do not wait for the shift',
      signal,
    );
  }

  /** Takes it out of every project that has it. */
  public async close(): Promise<void> {
    await this.everywhere(async (hub, project) => {
      const written = await this.write(hub, project, (windows) =>
        windowsAfterShift(windows, this.wanted.name),
      );
      if (written && windowsOf(written).length > 0) {
        await this.giveBack(hub, written);
      }
    }, `its window ends automatically within ${this.wanted.lasts}`);
  }

  private async everywhere(
    act: (hub: WindowedHub, project: string) => Promise<void>,
    otherwise: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const done = await Promise.all(
      this.hubs.map(async (hub) => {
        let isAnywhere = false;
        for (const project of hub.projects) {
          try {
            await act(hub, project);
            isAnywhere = true;
          } catch (error) {
            if (signal?.aborted) {
              break;
            }
            const { message } = error as Error;
            this.say(`sync window: hub ${hub.name}: AppProject ${project}: ${message}; ${otherwise}`);
            if (isKubernetesError(error, 'unreachable')) {
              break;
            }
          }
        }
        return isAnywhere;
      }),
    );
    return done.includes(true);
  }

  /** @returns undefined where nothing has to change */
  private async write(
    hub: WindowedHub,
    project: string,
    decide: (windows: readonly SyncWindow[]) => SyncWindow[] | undefined,
    signal?: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    const reference = referenceTo(hub, project);
    for (let tries = 1; ; tries += 1) {
      const found = await hub.api.get(reference, signal);
      const windows = decide(windowsOf(found));
      if (windows === undefined) {
        return undefined;
      }
      const { resourceVersion } = found.metadata;
      try {
        return await hub.api.patch(
          reference,
          { metadata: { resourceVersion }, spec: { syncWindows: windows.length > 0 ? windows : null } },
          { fieldManager: windowManager, signal },
        );
      } catch (error) {
        if (!isKubernetesError(error, 'conflict') || tries >= mostTries) {
          throw error;
        }
      }
    }
  }

  /** The list of windows is one field: who changed it last owns it, and whoever has set the others could not change them. */
  private async giveBack(hub: WindowedHub, { metadata }: KubernetesObject): Promise<void> {
    const { resourceVersion, managedFields } = metadata;
    const all = (managedFields ?? []) as readonly { readonly manager?: string }[];
    const others = all.filter(({ manager }) => manager !== windowManager);
    if (others.length === all.length) {
      return;
    }
    try {
      await hub.api.patch(
        referenceTo(hub, metadata.name),
        { metadata: { resourceVersion, managedFields: others } },
        { fieldManager: windowManager },
      );
    } catch (error) {
      // Whoever wrote in between has what he wanted.
      if (!isKubernetesError(error, 'conflict')) {
        this.say(
          `sync window: hub ${hub.name}: AppProject ${metadata.name}: it is gone, but the list of windows still belongs to ` +
            `${windowManager}: ${(error as Error).message}`,
        );
      }
    }
  }
}

function referenceTo({ namespace }: Hub, name: string): ObjectReference {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name, namespace } };
}

function windowsOf({ spec }: KubernetesObject): readonly SyncWindow[] {
  return (spec as { readonly syncWindows?: readonly SyncWindow[] } | undefined)?.syncWindows ?? [];
}
