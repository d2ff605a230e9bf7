/** Manifests as texts, for tests that vary a line or two of them. */

/** Documents of one file. */
export function documents(...texts: readonly string[]): string {
  return texts.map((text) => text.trim()).join('\n---\n');
}

/** A webhook configuration. */
export interface WebhookText {
  /** @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** @default - none */
  readonly caBundle?: string;
  /** @default 'Fail' */
  readonly policy?: string;
  /** @default 'gate.pods.example.com' */
  readonly entry?: string;
  /** Lines of its metadata. @default - none */
  readonly metadata?: string;
}

export function webhook(options: WebhookText = {}): string {
  const {
    annotations = {},
    caBundle,
    policy = 'Fail',
    entry = 'gate.pods.example.com',
    metadata = '',
  } = options;
  return `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: gate
  ${metadata}
  annotations: ${JSON.stringify(annotations)}
webhooks:
  - name: ${entry}
    admissionReviewVersions: [v1]
    clientConfig:
      ${caBundle === undefined ? '' : `caBundle: ${JSON.stringify(caBundle)}`}
      service: { namespace: gate-system, name: gate, path: /mutate }
    rules:
      - { operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods] }
    failurePolicy: ${policy}
    sideEffects: None
`;
}

/** The same, for an operator's own kinds in place of pods. */
export function ofOwnKinds(configuration: string): string {
  return configuration
    .replace("apiGroups: ['']", 'apiGroups: [gates.example.com]')
    .replace('resources: [pods]', 'resources: [gates]');
}

/** A webhook configuration with a CA that is injected from a Certificate. */
export function injected(from: string): string {
  return webhook({ annotations: { 'cert-manager.io/inject-ca-from': from } });
}

export function issuer(name: string, spec: string, kind = 'Issuer'): string {
  return `
apiVersion: cert-manager.io/v1
kind: ${kind}
metadata: { name: ${name}${kind === 'Issuer' ? ', namespace: gate-system' : ''} }
spec: ${spec}
`;
}

export const selfSigned = issuer('self-signed', '{ selfSigned: {} }');

/** A Certificate; `spec` is what is not always the same, a line each. */
export function certificate(name: string, issuerName: string, ...spec: readonly string[]): string {
  return `
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: ${name}, namespace: gate-system }
spec:
  secretName: ${name}-tls
  issuerRef: { name: ${issuerName} }
  ${spec.join('\n  ')}
`;
}

/** A CA with the issuer that signs with it. */
export function authority(name: string, ...spec: readonly string[]): string {
  return documents(
    certificate(name, 'self-signed', 'isCA: true', `commonName: ${name}`, ...spec),
    issuer(name, `{ ca: { secretName: ${name}-tls } }`),
  );
}

export const keeps = 'privateKey: { rotationPolicy: Never }';
export const named = 'dnsNames: [gate.gate-system.svc]';

/** All that a webhook needs, well made. */
export const good = documents(
  injected('gate-system/ca'),
  selfSigned,
  authority('ca', keeps, 'duration: 87600h', 'renewBefore: 8760h'),
  certificate('gate', 'ca', named, 'duration: 2160h', 'renewBefore: 720h'),
);

export const service = `
apiVersion: v1
kind: Service
metadata: { name: gate, namespace: gate-system }
spec: { selector: { app: gate } }
`;

/** The server; `container` and `volumes` in YAML's flow style. */
export function deployment(
  container: string,
  volumes = '[{ name: tls, secret: { secretName: gate-tls } }]',
): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: gate, namespace: gate-system }
spec:
  template:
    metadata: { labels: { app: gate } }
    spec:
      containers: [${container}]
      volumes: ${volumes}
`;
}

/** cert-manager's injector. */
export function certManager(image: string, args = '[]'): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: cert-manager-cainjector, namespace: cert-manager }
spec:
  template:
    spec:
      containers: [{ name: cainjector, image: "${image}", args: ${args} }]
`;
}

/** A Secret with a certificate and its key. */
export function tlsSecret(values: Readonly<Record<string, string>>, name = 'gate-tls'): string {
  const data = Object.entries(values).map(
    ([key, value]) => `  ${key}: ${Buffer.from(value).toString('base64')}`,
  );
  return `
apiVersion: v1
kind: Secret
metadata: { name: ${name}, namespace: gate-system }
type: kubernetes.io/tls
data:
${data.join('\n')}
`;
}

/** The right to change objects of a kind, for pods of a ServiceAccount. */
export function mayUpdate(group: string, resource: string, names: readonly string[] = []): string {
  return documents(
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: gate }
rules:
  - { apiGroups: ['${group}'], resources: [${resource}], verbs: [get, update], resourceNames: ${JSON.stringify(names)} }
`,
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: gate }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gate }
subjects: [{ kind: ServiceAccount, name: gate, namespace: gate-system }]
`,
  );
}
