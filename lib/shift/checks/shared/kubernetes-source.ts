import type { KubernetesSettings } from '../../../core/kubernetes/access';
import { KubernetesError } from '../../../core/kubernetes/errors';
import { InvalidInput, errorLine } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { secret, text } from '../../../core/validation/values';
import { SourceError } from '../../engine';

/** A kubeconfig itself. It may hold credentials, so that nothing of it is shown. */
export const readKubeconfigText: Schema<string> = secret(
  text('the text of a kubeconfig, YAML or JSON; kubeconfig takes the path of one', /\bclusters["']?\s*:/),
);

/** What a plan file has in place of a kubeconfig itself. */
export const noKubeconfigInPlans =
  'left out: a plan holds no kubeconfig, which may have credentials. kubeconfig takes the path of one';

/**
 * Asks an API server.
 *
 * @throws SourceError where that fails, also where there is no kubeconfig; the signal's reason where it is aborted
 */
export async function askKubernetes<Server, Answer>(
  source: (settings: KubernetesSettings) => Promise<Server>,
  settings: KubernetesSettings,
  ask: (server: Server) => Promise<Answer>,
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
