import type { KubernetesSettings } from '../kubernetes';
import type { Problems, Rule, Untyped } from '../problems';

const text: Rule = {
  allowed: 'text',
  accepts: (value) => typeof value === 'string' && value !== '',
};

/** Adds what is wrong with the keys that say which cluster is meant; both may be left out. */
export function checkCluster(problems: Problems, path: string, settings: Untyped): void {
  for (const key of ['kubeconfig', 'context']) {
    if (settings[key] !== undefined) {
      problems.check(`${path}.${key}`, settings[key], text);
    }
  }
}

/** Whether settings name no cluster: then it is the one that the plan runs in. */
export function isOwnCluster({ kubeconfig, context }: KubernetesSettings): boolean {
  return kubeconfig === undefined && context === undefined;
}
