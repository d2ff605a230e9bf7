import type { KubernetesSettings } from '../../../core/kubernetes/access';
import type { KubernetesReader } from '../../../core/kubernetes/api';
import { KubernetesError } from '../../../core/kubernetes/errors';
import { InvalidInput, errorLine } from '../../../core/validation/problems';
import { SourceError } from '../../engine';
import type { KubernetesSource } from '../check-kind';
import { text } from './arguments';
import type { ArgumentRule } from './arguments';

/** A kubeconfig itself. It may hold credentials, so that nothing of it is shown. */
const kubeconfigContent: ArgumentRule = {
  allowed: 'the text of a kubeconfig, YAML or JSON; kubeconfig takes the path of one',
  accepts: (value) => typeof value === 'string' && /\bclusters["']?\s*:/.test(value),
  isSecret: true,
};

/** Rules of the settings that say which API server is meant. */
export const kubernetesRules = { kubeconfig: text, kubeconfigText: kubeconfigContent, context: text };

/**
 * Asks an API server.
 *
 * @throws SourceError where that fails, also where there is no kubeconfig; the signal's reason where it is aborted
 */
export async function askKubernetes<Answer>(
  source: KubernetesSource,
  settings: KubernetesSettings,
  ask: (reader: KubernetesReader) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(await source(settings));
  } catch (error) {
    if (error instanceof KubernetesError || error instanceof InvalidInput) {
      throw new SourceError(errorLine(error), { cause: error });
    }
    throw error;
  }
}

/** One connection for each API server, however many checks ask it. */
export function sharedKubernetes(open: KubernetesSource): KubernetesSource {
  const opened = new Map<string, Promise<KubernetesReader>>();
  return (settings) => {
    const key = JSON.stringify([settings.kubeconfig, settings.kubeconfigText, settings.context]);
    const known = opened.get(key);
    if (known) {
      return known;
    }
    const opening = open(settings);
    opened.set(key, opening);
    // A kubeconfig may be written after the first try.
    opening.catch(() => opened.delete(key));
    return opening;
  };
}
