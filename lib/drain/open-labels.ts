import type { KubernetesSettings } from '../kubernetes';
import { openKubernetes } from '../kubernetes';
import type { ShiftObserver, Verdict, Weights } from '../shift';
import type { Hub } from './hub-registration';
import { LabelShift } from './label-shift';
import { LabelWriter } from './label-writer';
import { namedHub } from './named-hub';

/** Whose traffic labels are kept, and where. */
export interface LabelledFleet {
  /** Name of the fleet, as the Secrets' label `cluster-canary/fleet` has it. */
  readonly fleet: string;
  /** Hubs whose cluster Secrets are labelled. */
  readonly hubs: readonly LabelledHub[];
}

/** A hub whose cluster Secrets are labelled. */
export interface LabelledHub extends KubernetesSettings {
  /** For messages. @default - the context, the file or the server */
  readonly name?: string;
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
}

/** The traffic labels of a fleet while its routes shift. */
export interface OpenLabels {
  /** An observer that keeps the labels, and hands all on. */
  watch(route: string, observer: ShiftObserver): ShiftObserver;
  /**
   * Writes what stands at the end of a shift, or where none was needed.
   *
   * @param verdict of all routes together
   * @param live the weights of each route
   * @returns whether the shift is over, and every hub says what stands
   */
  end(verdict: Verdict, live: readonly (Weights | null)[]): Promise<boolean>;
  /** Closes connections. */
  close(): void;
}

/**
 * Opens the hubs of a fleet. Nothing is asked yet.
 *
 * @param labelled without it nothing is opened, and nothing is written
 * @param say a line about what could not be written
 * @throws InvalidInput where a kubeconfig can't be used
 */
export async function openLabels(
  labelled: LabelledFleet | undefined,
  say: (line: string) => void,
): Promise<OpenLabels> {
  if (labelled === undefined) {
    return {
      watch: (_route, observer) => observer,
      end: () => Promise.resolve(false),
      close: () => undefined,
    };
  }
  const hubs: Hub[] = [];
  const close = (): void => hubs.forEach(({ api }) => api.close());
  try {
    for (const hub of labelled.hubs) {
      hubs.push(namedHub(hub, await openKubernetes(hub)));
    }
  } catch (error) {
    close();
    throw error;
  }
  const shift = new LabelShift(new LabelWriter(labelled.fleet, hubs, say));
  return {
    watch: (route, observer) => {
      const own = shift.observer(route);
      return {
        ...observer,
        progress: (now) => {
          own.progress?.(now);
          observer.progress?.(now);
        },
      };
    },
    end: (verdict, live) => shift.end(verdict, live),
    close,
  };
}
