import type { RestarterSettings } from './settings';

/** A manifest of access control. */
export interface AccessManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

const group = 'rbac.authorization.k8s.io';

/** The Sensor makes Jobs; which ones, the policy says. */
const sensorRules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }];

/** A Job reads Rollouts and their pods, asks for restarts, and tells what it did. */
const jobRules = [
  { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['get', 'list', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

/** The two service accounts and their rights, in their own namespaces only. */
export function accessManifests(settings: RestarterSettings): AccessManifest[] {
  const { name, namespace, allowedNamespaces, sensorAccount, jobAccount } = settings;
  const account = (of: string): AccessManifest => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: of, namespace },
  });
  const role = (within: string, called: string, rules: readonly object[], of: string): AccessManifest[] => {
    const metadata = { name: called, namespace: within };
    return [
      { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules },
      {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: group, kind: 'Role', name: called },
        subjects: [{ kind: 'ServiceAccount', name: of, namespace }],
      },
    ];
  };
  return [
    account(sensorAccount),
    account(jobAccount),
    ...role(namespace, sensorAccount, sensorRules, sensorAccount),
    // Restarters of several namespaces may share an application's one.
    ...allowedNamespaces.flatMap((each) => role(each, `${namespace}-${name}`, jobRules, jobAccount)),
  ];
}
