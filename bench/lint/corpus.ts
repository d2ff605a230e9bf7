import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Objects a file. */
const perFile = 10;

/**
 * Writes manifests as charts render them: mostly workloads with their Services and settings; one in forty is a webhook, and
 * the same number Certificates, Applications and Workflows, so that every rule has something to look at. One webhook in ten
 * is wrong.
 */
export function writeCorpus(folder: string, objects: number): void {
  mkdirSync(folder, { recursive: true });
  const texts = manifests(objects);
  for (let first = 0; first < objects; first += perFile) {
    const file = `app-${String(first).padStart(6, '0')}.yaml`;
    writeFileSync(join(folder, file), texts.slice(first, first + perFile).join('---\n'));
  }
}

/** The objects, each as a text. */
export function manifests(objects: number): string[] {
  return Array.from({ length: objects }, (_, number) => manifest(number));
}

function manifest(number: number): string {
  const app = Math.floor(number / 40);
  const names = { name: `app-${app}`, namespace: `team-${app % 50}`, number };
  switch (number % 40) {
    case 0:
      return webhook(names);
    case 1:
      return certificate(names);
    case 2:
      return application(names);
    case 3:
      return workflow(names);
    default:
      return [deployment, service, configMap, budget][number % 4]!(names);
  }
}

interface Names {
  readonly name: string;
  readonly namespace: string;
  readonly number: number;
}

function head(apiVersion: string, kind: string, { name, namespace, number }: Names, suffix = ''): string {
  return `# Source: chart/templates/${kind.toLowerCase()}.yaml
apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${name}${suffix}
  namespace: ${namespace}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/instance: ${name}-${number}
    app.kubernetes.io/managed-by: Helm
    helm.sh/chart: app-1.2.3
`;
}

function deployment(names: Names): string {
  const { name, number } = names;
  return `${head('apps/v1', 'Deployment', names, `-${number}`)}spec:
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/instance: ${name}-${number}
  template:
    metadata:
      labels:
        app.kubernetes.io/instance: ${name}-${number}
      annotations:
        checksum/config: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    spec:
      serviceAccountName: ${name}
      securityContext: { runAsNonRoot: true, fsGroup: 65532 }
      containers:
        - name: server
          image: "registry.example.com/${name}:1.2.${number}"
          args: ["--listen=:8443", "--log-level=info"]
          env:
            - name: TOKEN
              valueFrom:
                secretKeyRef:
                  name: ${name}-token
                  key: token
            - name: FEATURES
              value: "yes"
          ports:
            - { name: https, containerPort: 8443, protocol: TCP }
          readinessProbe:
            httpGet: { path: /healthz, port: https, scheme: HTTPS }
            periodSeconds: 5
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 256Mi }
          volumeMounts:
            - name: certificate
              mountPath: /tls
              readOnly: true
      volumes:
        - name: certificate
          secret:
            secretName: ${name}-tls
`;
}

function service(names: Names): string {
  const { name, number } = names;
  return `${head('v1', 'Service', names, `-${number}`)}spec:
  type: ClusterIP
  selector:
    app.kubernetes.io/instance: ${name}-${number - 1}
  ports:
    - name: https
      port: 443
      targetPort: https
`;
}

function configMap(names: Names): string {
  return `${head('v1', 'ConfigMap', names, `-${names.number}`)}data:
  settings.yaml: |
    log:
      level: info
      format: json
    features:
      - name: first
        enabled: true
      - name: second
        enabled: false
`;
}

function budget(names: Names): string {
  const { name, number } = names;
  return `${head('policy/v1', 'PodDisruptionBudget', names, `-${number}`)}spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/instance: ${name}-${number - 3}
`;
}

function webhook(names: Names): string {
  const { name, namespace, number } = names;
  const selector = `    namespaceSelector:
      matchExpressions:
        - key: kubernetes.io/metadata.name
          operator: NotIn
          values: [kube-system, kube-node-lease, ${namespace}]
`;
  const isWrong = number % 400 === 0;
  return `${head('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', names)}webhooks:
  - name: check.${name}.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: ${isWrong ? 'Fail' : 'Ignore'}
    timeoutSeconds: 3
${isWrong ? '' : selector}    clientConfig:
      service: { name: ${name}-${number + 5}, namespace: ${namespace}, path: /check }
    rules:
      - operations: [CREATE]
        apiGroups: [apps]
        apiVersions: [v1]
        resources: [deployments]
`;
}

function certificate(names: Names): string {
  const { name, namespace } = names;
  return `${head('cert-manager.io/v1', 'Certificate', names)}spec:
  secretName: ${name}-tls
  dnsNames: [${name}.${namespace}.svc]
  duration: 2160h
  renewBefore: 720h
  privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Always }
  issuerRef: { name: platform, kind: ClusterIssuer, group: cert-manager.io }
`;
}

function application(names: Names): string {
  const { name, namespace } = names;
  return `${head('argoproj.io/v1alpha1', 'Application', names)}spec:
  project: default
  source:
    repoURL: https://git.example.com/${name}.git
    path: deploy
    targetRevision: main
  destination: { name: blue, namespace: ${namespace} }
  syncPolicy:
    automated: { prune: true, selfHeal: true }
    syncOptions: [ServerSideApply=true]
`;
}

function workflow(names: Names): string {
  return `${head('argoproj.io/v1alpha1', 'WorkflowTemplate', names)}spec:
  entrypoint: main
  templates:
    - name: main
      retryStrategy:
        limit: "6"
        retryPolicy: Always
        backoff: { duration: 15s, factor: "2", maxDuration: 30m }
      container:
        image: registry.example.com/batch:1.0.0
        command: [run]
        args: ["{{workflow.name}}"]
`;
}
