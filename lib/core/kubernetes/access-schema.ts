import { optional } from '../validation/collections';
import type { Entries } from '../validation/schema';
import { text } from '../validation/values';
import type { KubernetesSettings } from './access';

const filled = text('a text that is not empty', /./s);

/** The keys that say which cluster is meant, for the schema of settings that have them: a file names no kubeconfig's text. */
export const clusterEntries: Entries<Omit<KubernetesSettings, 'kubeconfigText'>> = {
  kubeconfig: optional(filled),
  context: optional(filled),
};
