import { brief, lintText } from '../../lint-text';
import { certificate, deployment, documents, mayUpdate, named, service, webhook } from './manifests';

const bundle = '/webhooks/0/clientConfig/caBundle';
const leaf = certificate('gate', 'ca', named);

const found = (rule: string, ...texts: readonly string[]): string[] =>
  brief(lintText(documents(...texts), { rules: [rule] }));

/** A server with an account of its own. */
const server = deployment('{ name: server }', '[]').replace(
  'containers:',
  'serviceAccountName: gate\n      containers:',
);

describe('TLS10: a controller that may write the CA', () => {
  const group = 'admissionregistration.k8s.io';
  const kind = 'mutatingwebhookconfigurations';
  const parts = [webhook(), leaf, service, server];
  const fires = [`error TLS10 ${bundle}`];
  const may = [`info TLS10 ${bundle}`];
  const role = mayUpdate(group, kind);

  test.each<[string, string[], string[]]>([
    ['no right', parts, fires],
    ['the right', [...parts, role], may],
    ['the right to this one', [...parts, mayUpdate(group, kind, ['gate'])], may],
    ['the right to another one', [...parts, mayUpdate(group, kind, ['other'])], fires],
    ['the right to the other kind', [...parts, mayUpdate(group, 'validatingwebhookconfigurations')], fires],
    ['the right to everything', [...parts, mayUpdate('*', "'*'")], may],
    ['the right to read', [...parts, role.replace('update', 'list')], fires],
    ['the right to patch', [...parts, role.replace('update', 'patch')], may],
    [
      'a right in a namespace, where none of the kind is',
      [...parts, role.replace(/ClusterRole/g, 'Role')],
      fires,
    ],
    [
      'the right of another account',
      [...parts, role.replace('ServiceAccount, name: gate', 'ServiceAccount, name: other')],
      fires,
    ],
    [
      'the right of an account elsewhere',
      [...parts, role.replace('namespace: gate-system', 'namespace: other')],
      fires,
    ],
    [
      'the right of the account that pods have by default',
      [
        ...parts.map((each) => each.replace('serviceAccountName: gate\n', '\n')),
        role.replace('ServiceAccount, name: gate', 'ServiceAccount, name: default'),
      ],
      may,
    ],
    [
      'a role of roles',
      [
        ...parts,
        role.replace('metadata: { name: gate }', 'metadata: { name: part, labels: { of: gate } }'),
        `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: gate }
aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of: gate } }] }
`,
      ],
      may,
    ],
    [
      'the right of a Job beside the server',
      [
        ...parts.map((each) => each.replace('serviceAccountName: gate\n', '\n')),
        role,
        `
apiVersion: batch/v1
kind: Job
metadata: { name: gate-certificates, namespace: gate-system }
spec: { template: { spec: { serviceAccountName: gate, containers: [{ name: make, image: make }] } } }
`,
      ],
      may,
    ],
    [
      'the right of another server',
      [...parts.map((each) => each.replace('app: gate } }\n    spec', 'app: other } }\n    spec')), role],
      fires,
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS10', ...texts)).toEqual(expected);
  });
});
