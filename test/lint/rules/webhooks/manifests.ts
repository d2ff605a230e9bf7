import { brief, lintText } from '../../lint-text';
import type { TextOptions } from '../../lint-text';

/** Fields of a webhook as YAML; undefined leaves one out. */
export type Entry = Readonly<Record<string, string | undefined>>;

/** How a configuration is called, and what stands around its webhooks. */
export interface ConfigurationText {
  readonly kind?: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  readonly name?: string;
  /** As YAML: `{ cluster-canary/intent: security }`. */
  readonly annotations?: string;
  /** As YAML. */
  readonly labels?: string;
}

/** A webhook in which no rule finds anything, as long as it is called for somebody's own resources. */
const sound: Entry = {
  name: 'gate.example.com',
  clientConfig: '{ service: { name: gate, namespace: gate-system } }',
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  sideEffects: 'None',
  timeoutSeconds: '3',
  admissionReviewVersions: '[v1]',
  rules: rule('widgets', { group: 'example.com' }),
};

/** YAML of a webhook configuration: each entry is a sound webhook with other fields. */
export function webhooks(entries: readonly Entry[], about: ConfigurationText = {}): string {
  const {
    kind = 'ValidatingWebhookConfiguration',
    name = 'gates',
    annotations = '{}',
    labels = '{}',
  } = about;
  const items = entries.map((entry) => {
    const fields = Object.entries({ ...sound, ...entry }).filter(([, value]) => value !== undefined);
    return `  - ${fields.map(([key, value]) => `${key}: ${value}`).join('\n    ')}\n`;
  });
  return `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata:
  name: ${name}
  annotations: ${annotations}
  labels: ${labels}
webhooks:
${items.join('')}`;
}

/** YAML of one webhook: a sound one with other fields. */
export function webhook(entry: Entry, about?: ConfigurationText): string {
  return webhooks([entry], about);
}

/** YAML of rules for one resource, or of several that are given as `a, b`. */
export function rule(
  resources: string,
  more: { group?: string; version?: string; operations?: string; scope?: string } = {},
): string {
  const { group = '""', version = 'v1', operations = 'CREATE', scope = '"*"' } = more;
  return `[{ operations: [${operations}], apiGroups: [${group}], apiVersions: [${version}], resources: [${resources}], scope: ${scope} }]`;
}

/** YAML of a selector that leaves namespaces out by name. */
export function leavingOut(...namespaces: readonly string[]): string {
  return `{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [${namespaces.join(', ')}] }] }`;
}

/** YAML of a selector of one requirement. */
export function expression(key: string, operator: string, values?: string): string {
  return `{ matchExpressions: [{ key: ${key}, operator: ${operator}${values === undefined ? '' : `, values: [${values}]`} }] }`;
}

/** YAML of a server, with all that it needs, except for what is replaced. */
export function server(name = 'gate', replaced: Readonly<Record<string, string>> = {}): string {
  const text = `---
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: ${name}-system }
spec:
  selector: { app: ${name} }
  ports: [{ port: 443, targetPort: https }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: ${name}-system }
spec:
  replicas: 2
  template:
    metadata:
      labels: { app: ${name} }
    spec:
      containers:
        - name: server
          image: registry.example.com/${name}:1
          ports: [{ name: https, containerPort: 8443 }]
          readinessProbe: { httpGet: { path: /readyz, port: https } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ${name}, namespace: ${name}-system }
spec:
  maxUnavailable: 1
  selector: { matchLabels: { app: ${name} } }
`;
  return Object.entries(replaced).reduce((before, [part, by]) => {
    if (!before.includes(part)) {
      throw new Error(`no such part: ${part}`);
    }
    return before.replace(part, by);
  }, text);
}

/** What one rule finds: `SEVERITY POINTER`. */
export function found(id: string, yaml: string, options: TextOptions = {}): string[] {
  return brief(lintText(yaml, { ...options, rules: [id] })).map((each) => each.replace(`${id} `, ''));
}

/** Messages of one rule, a line each. */
export function messages(id: string, yaml: string, options: TextOptions = {}): string {
  return lintText(yaml, { ...options, rules: [id] })
    .map(({ message }) => message)
    .join('\n');
}
