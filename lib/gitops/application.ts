import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, labelKey, refuseOptions } from '../problems';
import type { ApplicationSpec } from './application-spec';
import { applicationSpecManifest, checkApplicationSpec, applicationSpecKeys } from './application-spec';
import type { ArgoObjectProps } from './argo-object';
import { argoObject, checkArgoObject, argoObjectPropsKeys } from './argo-object';
import { FieldChecks } from './field-checks';

/**
 * What happens to an Application's objects when it is deleted.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/
 */
export type ApplicationFinalizer =
  | 'resources-finalizer.argocd.argoproj.io'
  | 'resources-finalizer.argocd.argoproj.io/foreground'
  | 'resources-finalizer.argocd.argoproj.io/background'
  | (string & {});

/** What an Application is made of. */
export interface ApplicationProps extends ArgoObjectProps, ApplicationSpec {
  /**
   * Finalizers. With `resources-finalizer.argocd.argoproj.io` the Application's objects are deleted with it,
   * and its deletion hangs while its cluster can't be reached.
   * @default - none: what was deployed stays
   */
  readonly finalizers?: readonly ApplicationFinalizer[];
}

const applicationPropsKeys: OptionsOf<ApplicationProps> = {
  ...argoObjectPropsKeys,
  ...applicationSpecKeys,
  finalizers: 'list',
};

/**
 * An Argo CD Application.
 *
 * The name may have 253 characters, as every custom resource's. Argo CD tracks objects by annotation, so the 63
 * characters of a label value bind only where `application.resourceTrackingMethod` is set to `label`; Helm's 53
 * for a release bind where a source is a chart and sets no `releaseName`.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 *
 * @example
 * new gitops.Application(chart, 'podinfo', {
 *   name: 'podinfo',
 *   project: 'apps',
 *   source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize', targetRevision: '6.14.1' },
 *   destination: { name: 'blue', namespace: 'podinfo' },
 *   syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
 * });
 */
export class Application extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or settings contradict each other */
  public constructor(scope: Construct, id: string, props: ApplicationProps) {
    refuseOptions(`Application "${id}"`, props, applicationPropsKeys);
    super(scope, id);
    const problems = new Problems(`Application "${props.name}"`);
    const checks = new FieldChecks(problems);
    checkArgoObject(checks, props);
    checkApplicationSpec(checks, '', props, props.name);
    checks.each('finalizers', props.finalizers, labelKey);
    problems.throwIfAny();
    this.apiObject = argoObject(this, 'Application', props, applicationSpecManifest(props));
  }
}
