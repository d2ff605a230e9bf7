import type {
  ApiServiceProps,
  ConversionSettings,
  DefinitionManifest,
  MutatingPolicyProps,
  ValidatingPolicyProps,
} from '../../../lib/manifests/webhooks';
import { mutatingPolicyProblems, validatingPolicyProblems } from '../../../lib/manifests/webhooks';
import { pods } from './samples';

/** A policy that nobody may avoid. */
export const images: ValidatingPolicyProps = {
  name: 'images.example.com',
  intent: 'security',
  rules: [pods],
  validations: [{ expression: 'object.spec.containers.all(c, c.image.startsWith("registry/"))' }],
};

/** A policy that changes objects which ask for it. */
export const defaults: MutatingPolicyProps = {
  name: 'defaults.example.com',
  kubernetesVersion: '1.36',
  intent: 'convenience',
  optIn: { 'example.com/defaults': 'enabled' },
  rules: [pods],
  mutations: [{ applyConfiguration: 'Object{spec: Object.spec{enableServiceLinks: false}}' }],
};

/** Parameters of a policy. */
export const params = {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  paramRef: { name: 'settings', namespace: 'default' },
} as const;

/** What is called behind TLS. */
export const called: ConversionSettings = {
  service: { name: 'kinds', namespace: 'kinds-system' },
  server: { podLabels: { app: 'kinds' }, replicas: 2 },
  caInjection: { annotations: { 'cert-manager.io/inject-ca-from': 'kinds-system/kinds-ca-g1' } },
};

/** An aggregated API. */
export const things: ApiServiceProps = { ...called, group: 'things.example.com', version: 'v1' };

/** A definition with two versions. */
export const gateways: DefinitionManifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gateways.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Gateway', plural: 'gateways' },
    scope: 'Namespaced',
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
  },
};

const paths = (problems: readonly { readonly path: string }[]): string[] => [
  ...new Set(problems.map(({ path }) => path)),
];

/** The paths of what is wrong with a validating policy, each once, in order. */
export const wrongValidating = (props: ValidatingPolicyProps): string[] =>
  paths(validatingPolicyProblems(props));

/** The paths of what is wrong with a mutating policy, each once, in order. */
export const wrongMutating = (props: MutatingPolicyProps): string[] => paths(mutatingPolicyProblems(props));
