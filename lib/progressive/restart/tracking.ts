import type { KubernetesObject } from '../../kubernetes';

/** `APPLICATION:GROUP/KIND:NAMESPACE/NAME`. */
const trackingAnnotation = 'argocd.argoproj.io/tracking-id';
const instanceLabel = 'app.kubernetes.io/instance';

/**
 * Whether an object is of an Argo CD Application, by the annotation or the label that Argo CD itself knows it by. An
 * Application outside of Argo CD's own namespace is called `NAMESPACE_NAME` there.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 */
export function isOfApplication({ metadata }: KubernetesObject, application: string): boolean {
  const tracking = metadata.annotations?.[trackingAnnotation];
  const name =
    tracking === undefined ? metadata.labels?.[instanceLabel] : tracking.slice(0, tracking.indexOf(':'));
  return name !== undefined && name.slice(name.indexOf('_') + 1) === application;
}
