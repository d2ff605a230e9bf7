import { homedir } from 'node:os';
import { InvalidInput } from '../validation/problems';
import type { Problem } from '../validation/problems';
import type { KubernetesSettings, KubeconfigEnvironment } from './access';
import type { KubernetesApi, PodLogs, ServerVersion } from './api';
import type { PodProxy } from './pod-proxy';
import type { RetryLimits } from './requests';
import type { Survey } from './survey';

/** Opens each API server once, however many ask for it. One that can't be opened is tried anew: a kubeconfig may come later. */
export function openedOnce<Settings extends KubernetesSettings, Api>(
  open: (settings: Settings) => Promise<Api>,
): (settings: Settings) => Promise<Api> {
  const opened = new Map<string, Promise<Api>>();
  return (settings) => {
    const key = JSON.stringify([settings.kubeconfig, settings.kubeconfigText, settings.context]);
    const known = opened.get(key);
    if (known) {
      return known;
    }
    const opening = open(settings);
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    return opening;
  };
}

/**
 * Opens the API server of a cluster. Nothing is asked yet: whether it answers shows with the first call.
 *
 * @throws InvalidInput with everything that is wrong with the kubeconfig, or where there is none
 *
 * @example
 * const hub = await openKubernetes({ context: 'hub' });
 * const applications = await hub.list({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' });
 */
export async function openKubernetes(
  settings: KubernetesSettings = {},
  limits: Partial<RetryLimits> = {},
  surroundings: KubeconfigEnvironment = ownSurroundings(),
): Promise<KubernetesApi & PodLogs & PodProxy & ServerVersion & Survey> {
  // Most users of this library never ask an API server: what it takes is loaded here and not with the library.
  const { connect } = await import('./client');
  return connect(settings, limits, surroundings);
}

/** Everything that is wrong with a kubeconfig and the context in it. No API server is asked. */
export async function accessProblems(
  settings: KubernetesSettings,
  surroundings: KubeconfigEnvironment = ownSurroundings(),
): Promise<readonly Problem[]> {
  const { findAccess } = await import('./access');
  try {
    await findAccess(settings, surroundings);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) {
      return error.problems;
    }
    throw error;
  }
}

function ownSurroundings(): KubeconfigEnvironment {
  return {
    env: process.env,
    home: homedir(),
    serviceAccount: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
}
