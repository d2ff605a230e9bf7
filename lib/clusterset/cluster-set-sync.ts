import { createHash } from 'node:crypto';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { stringify } from 'yaml';
import { ValidatingPolicy } from '../admission';
import { refuseOptions } from '../problems';
import type { ClusterSetSyncProps } from './cluster-set-sync-props';
import { clusterSetSyncPropsKeys } from './cluster-set-sync-props';
import { secretsPolicy } from './secrets-policy';
import { settingsOf } from './settings';
import { clusterSetAccess, cronJobSpec, deploymentSpec, podTemplate, setFile } from './sync-objects';
import { checkSyncProps } from './sync-props-problems';

const rbac = 'rbac.authorization.k8s.io';

/** Eight digits keep two versions of a set apart. */
const hashLength = 8;

/**
 * Keeps Argo CD's cluster Secrets in step with EKS clusters from inside of the hub: a Deployment that looks again and
 * again, or a CronJob.
 *
 * It makes a ConfigMap with the set, a service account, a Role for the Secrets of Argo CD's namespace, and a
 * ValidatingAdmissionPolicy that limits the account's writes to the set's own cluster Secrets. Rights at AWS
 * come to the service account by EKS Pod Identity: `clusterSetRights` says which, and `addons.PodIdentityRole` makes the
 * role. No NetworkPolicy is made: nothing listens in the pod.
 *
 * @example
 * new clusterset.ClusterSetSync(chart, 'clusters', {
 *   name: 'clusters',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   set: parse(readFileSync('clusterset.yaml', 'utf8')),
 * });
 */
export class ClusterSetSync extends Construct {
  /** The service account that the pods run as. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };
  /** What limits its writes to the set's own cluster Secrets. */
  public readonly policy: ValidatingPolicy;
  /** The Deployment or the CronJob. */
  public readonly workload: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClusterSetSyncProps) {
    refuseOptions(`ClusterSetSync "${id}"`, props, clusterSetSyncPropsKeys);
    super(scope, id);
    checkSyncProps(props);
    const { name } = props;
    const settings = settingsOf(props.set);
    const { namespace: argoNamespace } = settings;
    const namespace = props.namespace ?? argoNamespace;
    const account = props.serviceAccountName ?? name;
    const ownLabels = { 'app.kubernetes.io/name': 'cluster-set-sync', 'app.kubernetes.io/instance': name };
    const labels = { ...ownLabels, ...props.labels };
    this.serviceAccount = { namespace, name: account };
    const text = stringify(props.set, { aliasDuplicateObjects: false });
    const configMap = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, hashLength)}`;
    const object = (kind: string, apiVersion: string, own: Manifest): ApiObject =>
      new ApiObject(this, kind, {
        apiVersion,
        kind,
        ...own,
        metadata: { namespace, name, ...own.metadata, labels },
      });

    this.policy = new ValidatingPolicy(
      this,
      'Policy',
      secretsPolicy({ name, account: this.serviceAccount, labels, settings }),
    );
    // A new set is a new name, so that pods start anew with it.
    object('ConfigMap', 'v1', { metadata: { name: configMap }, immutable: true, data: { [setFile]: text } });
    object('ServiceAccount', 'v1', { metadata: { name: account } });
    // Two of one name in different namespaces may both have a Role here.
    const role = namespace === argoNamespace ? name : `${namespace}-${name}`;
    const metadata = { name: role, namespace: argoNamespace };
    const rules = clusterSetAccess(argoNamespace).map(({ namespace: _namespace, ...rule }) => rule);
    object('Role', `${rbac}/v1`, { metadata, rules });
    object('RoleBinding', `${rbac}/v1`, {
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: role },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    });
    const template = podTemplate(props, configMap, account, { ...labels, ...ownLabels });
    this.workload =
      props.schedule === undefined
        ? object('Deployment', 'apps/v1', { spec: deploymentSpec(template, ownLabels) })
        : object('CronJob', 'batch/v1', { spec: cronJobSpec(props.schedule, template) });
    // Before there is a policy, the account could write any Secret there.
    this.workload.addDependency(this.policy);
  }
}

interface Manifest {
  readonly metadata?: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}
