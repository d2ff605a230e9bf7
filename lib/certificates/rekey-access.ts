import type { AuthorityRekey, InjectedObject } from './authority-rekey';
import { bundleKinds } from './rekey/bundle-places';

/** Who gets the rights. */
export interface RekeyAccount {
  readonly name: string;
  readonly namespace: string;
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const resources: Readonly<
  Record<InjectedObject['kind'], { readonly group: string; readonly resource: string }>
> = {
  MutatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    resource: 'mutatingwebhookconfigurations',
  },
  ValidatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    resource: 'validatingwebhookconfigurations',
  },
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  APIService: { group: 'apiregistration.k8s.io', resource: 'apiservices' },
};

/** `apps/v1` and so on of a kind that is injected into. */
export function apiVersionOf(kind: InjectedObject['kind']): string {
  return bundleKinds.find((each) => each.kind === kind)!.apiVersion;
}

/**
 * The service account of a phase's Jobs with what they need, and no more: to write the one Secret (`publish`); to see CA
 * bundles and the Services' endpoints (`switch`, `retire`); to write the CA bundles of the named objects (`retire`).
 */
export function rekeyAccess(
  account: RekeyAccount,
  { phase, services, injectedInto }: AuthorityRekey,
  bundle: string,
): Manifest[] {
  const serviceAccount: Manifest = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...account } };
  if (phase === 'publish') {
    const writes = { apiGroups: [''], resources: ['secrets'], resourceNames: [bundle], verbs: ['patch'] };
    return [serviceAccount, ...role(account, account.namespace, [writes])];
  }
  const namespaces = [...new Set(services.map(({ namespace }) => namespace))];
  const seesBundles = Object.values(resources).map(({ group, resource }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: ['list'],
  }));
  return [
    serviceAccount,
    ...namespaces.flatMap((namespace) =>
      role(account, namespace, [
        {
          apiGroups: [''],
          resources: ['services'],
          resourceNames: services.filter((each) => each.namespace === namespace).map(({ name }) => name),
          verbs: ['get'],
        },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
      ]),
    ),
    ...role(account, undefined, [
      ...seesBundles,
      ...(phase === 'retire' ? injectedInto.map(writesBundle) : []),
    ]),
  ];
}

function writesBundle({ kind, name }: InjectedObject): PolicyRule {
  const { group, resource } = resources[kind];
  return { apiGroups: [group], resources: [resource], resourceNames: [name], verbs: ['get', 'patch'] };
}

/** A role, of a namespace or of the cluster, and its binding to the account. */
function role(
  account: RekeyAccount,
  namespace: string | undefined,
  rules: readonly PolicyRule[],
): Manifest[] {
  const cluster = namespace === undefined ? 'Cluster' : '';
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  // Names of cluster-wide objects are shared by all namespaces.
  const name = namespace === undefined ? `${account.namespace}-${account.name}` : account.name;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return [
    { apiVersion, kind: `${cluster}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${cluster}RoleBinding`,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: `${cluster}Role`, name },
      subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
    },
  ];
}
