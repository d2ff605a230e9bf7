import type { FailurePolicy } from '../../core/admission/intent';
import type { Labels } from '../../core/kubernetes/label-selector';
import { hardenAnnotation } from '../../core/names';
import { across, list, object, optional, record } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain, labelKey, labelValue } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem, Format, PlainObject } from '../../core/validation/problems';
import { readSettings } from '../../core/validation/read-settings';
import { pathText, problemsOf } from '../../core/validation/schema';
import type { Entries, JsonSchema, PlacedProblem, Schema, PathSteps } from '../../core/validation/schema';
import { dnsLabelText, following, oneOf, that, whole } from '../../core/validation/values';
import { Field, toJsonPointer } from '../object';
import type { ManifestObject } from '../object';

/** What a project has decided about webhooks, since no manifest can say it. */
export interface HardeningDecision {
  /** Service that the webhooks call, `NAMESPACE/NAME`. @default - any, where `webhook` says which */
  readonly service?: string;
  /** Name of one webhook of a webhook configuration. @default - all that call the Service */
  readonly webhook?: string;
  /**
   * The authority's Certificate, `NAMESPACE/NAME`, that cert-manager injects the CA from: for all that call the Service,
   * conversion webhooks and APIServices too.
   *
   * @default - the authority of the server's certificate, where its issuer is among the manifests
   */
  readonly injectCaFrom?: string;
  /** Secret in the place of a Certificate, as while a key is changed. @default - none */
  readonly injectCaFromSecret?: string;
  /**
   * The Issuer that signs the server's certificate, `NAMESPACE/NAME`; it is in the namespace of the Certificate. For charts
   * that sign it by itself: no injection of such a CA is safe.
   *
   * @default - as it is
   */
  readonly issuer?: string;
  /** A ClusterIssuer in the place of an Issuer, by its name. @default - none */
  readonly clusterIssuer?: string;
  /** What becomes of a request when the webhook can't be called. @default - as it is */
  readonly failurePolicy?: FailurePolicy;
  /** Longest timeout, 1 to 30 s: a longer one is cut, a missing one is set. @default - as it is */
  readonly timeoutSeconds?: number;
  /** Namespaces that the webhooks do not see, by name: `kube-system`, their own. @default - as it is */
  readonly leaveOut?: readonly string[];
  /** Labels that objects must have to be seen by the webhooks. @default - as it is */
  readonly optIn?: Labels;
}

/** `NAMESPACE/NAME` */
const namespacedName: Format = {
  allowed: 'NAMESPACE/NAME',
  accepts: (value) => {
    const [namespace, name, ...more] = typeof value === 'string' ? value.split('/') : [];
    return more.length === 0 && dnsLabel.accepts(namespace) && dnsSubdomain.accepts(name);
  },
};

const webhookName: Format = {
  allowed: 'the name of a webhook in a webhook configuration, such as "pods.gate.example.com"',
  accepts: (value) => typeof value === 'string' && value !== '',
};

const someLabels = 'labels, one or more: { "example.com/gate": "enabled" }';

const labels = that<Labels>(
  record(following(labelValue), following(labelKey), someLabels),
  someLabels,
  (value) => Object.keys(value).length > 0,
  { minProperties: 1 },
);

const namespacedNameSchema = following(namespacedName, {
  type: 'string',
  pattern: '^[a-z0-9-]+/[a-z0-9.-]+$',
});

const entries: Entries<HardeningDecision> = {
  service: optional(namespacedNameSchema),
  webhook: optional(following(webhookName, { type: 'string', minLength: 1 })),
  injectCaFrom: optional(namespacedNameSchema),
  injectCaFromSecret: optional(namespacedNameSchema),
  issuer: optional(namespacedNameSchema),
  clusterIssuer: optional(
    following(dnsSubdomain, {
      type: 'string',
      pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
      maxLength: 253,
    }),
  ),
  failurePolicy: optional(oneOf('Fail', 'Ignore')),
  timeoutSeconds: optional(whole(1, 30)),
  leaveOut: optional(list(dnsLabelText, 1, 'names of namespaces, one or more: ["kube-system"]')),
  optIn: optional(labels),
};

const decides = Object.keys(entries).filter((key) => !isSubject(key));

/** That keys are there, all of them. */
function has(...keys: readonly string[]): JsonSchema {
  return { required: keys, properties: Object.fromEntries(keys.map((key) => [key, {}])) };
}

/** What a JSON Schema can say of {@link checkTogether}. */
function togetherJson(): JsonSchema {
  const isOfServer: JsonSchema = { allOf: [has('service'), { not: has('webhook') }] };
  return {
    allOf: [
      { anyOf: [has('service'), has('webhook')] },
      { anyOf: decides.map((key) => has(key)) },
      { not: has('injectCaFrom', 'injectCaFromSecret') },
      { not: has('issuer', 'clusterIssuer') },
    ],
    dependentSchemas: Object.fromEntries(
      ['injectCaFrom', 'injectCaFromSecret', 'issuer', 'clusterIssuer'].map((key) => [key, isOfServer]),
    ),
  };
}

/** What a project may decide about webhooks. */
export const decisionSchema: Schema<HardeningDecision> = across(
  object<HardeningDecision>(entries),
  checkTogether,
  togetherJson,
);

/** Decisions about what one before them is about, each with its position in the list. */
export function secondDecisions(decisions: readonly unknown[]): readonly SecondDecision[] {
  const seen = new Map<string, number>();
  return decisions.flatMap((decision, position) => {
    const { service, webhook } = isPlainObject(decision) ? decision : {};
    const key = JSON.stringify([service, webhook]);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, position);
    }
    return first === undefined || (service === undefined && webhook === undefined)
      ? []
      : [{ position, first, key: service === undefined ? 'webhook' : 'service', value: service ?? webhook }];
  });
}

/** A decision about what another one is about already. */
export interface SecondDecision {
  readonly position: number;
  /** Position of the other one. */
  readonly first: number;
  readonly key: 'service' | 'webhook';
  readonly value: unknown;
}

function checkTogether(
  decision: { readonly [Key in keyof HardeningDecision]?: unknown },
  { mustBe, conflicts }: Objections,
): void {
  const { service, webhook } = decision;
  if (Object.entries(decision).every(([key, value]) => isSubject(key) || value === undefined)) {
    mustBe([], `one that decides something: ${decides.join(', ')}`);
  }
  if (service === undefined && webhook === undefined) {
    mustBe(['service'], 'NAMESPACE/NAME, where webhook is not given either');
  }
  for (const [first, second] of [
    ['injectCaFrom', 'injectCaFromSecret'],
    ['issuer', 'clusterIssuer'],
  ] as const) {
    if (decision[first] !== undefined && decision[second] !== undefined) {
      conflicts([second], first);
    }
  }
  const [namespace] = typeof service === 'string' ? service.split('/') : [];
  const { issuer } = decision;
  if (typeof issuer === 'string' && namespace !== undefined && !issuer.startsWith(`${namespace}/`)) {
    mustBe(['issuer'], `${namespace}/NAME: an Issuer signs Certificates of its own namespace only`);
  }
  const isForServer = webhook === undefined && service !== undefined;
  for (const [keysOfOne, reason] of ofServer) {
    const key = keysOfOne.find((each) => decision[each] !== undefined);
    if (key !== undefined && !isForServer) {
      mustBe([key], `together with service alone: ${reason}`);
    }
  }
}

function isSubject(key: string): boolean {
  return key === 'service' || key === 'webhook';
}

/** What holds for a server, whoever calls it. */
const ofServer: readonly (readonly [readonly (keyof HardeningDecision)[], string])[] = [
  [['injectCaFrom', 'injectCaFromSecret'], 'a CA is injected into all of a configuration'],
  [['issuer', 'clusterIssuer'], 'a server has one certificate for all that call it'],
];

/** What Services among the objects declare. */
export interface DeclaredDecisions {
  readonly decisions: readonly NamedDecision[];
  /** What is wrong with them, each with file and line where the Service comes from a file. */
  readonly problems: readonly Problem[];
}

/** Reads the annotation {@link hardenAnnotation} of Services. */
export function declaredDecisions(objects: readonly ManifestObject[]): DeclaredDecisions {
  const decisions: NamedDecision[] = [];
  const problems: Problem[] = [];
  for (const object of objects) {
    const declared = Field.of(object).get('metadata', 'annotations', hardenAnnotation);
    if (object.kind !== 'Service' || object.apiVersion !== 'v1' || !declared.exists) {
      continue;
    }
    const decided = parsedAnnotation(declared.text);
    const decision = { ...decided, service: `${object.namespace ?? ''}/${object.name}` };
    const wrong: readonly Problem[] =
      decided === undefined
        ? [{ path: '', value: declared.value, allowed: 'a decision in JSON, as an object' }]
        : object.namespace === undefined
          ? [{ path: '', allowed: 'in a Service that names its namespace' }]
          : [
              ...problemsOf(decisionSchema, decision).map(({ steps: _steps, ...problem }) => problem),
              ...('service' in decided
                ? [{ path: 'service', value: decided['service'], allowed: 'left out: it is this Service' }]
                : []),
            ];
    wrong.forEach((problem) =>
      problems.push({ ...problem, path: `${placeOf(object)} ${problem.path}`.trimEnd() }),
    );
    if (wrong.length === 0) {
      decisions.push({ path: placeOf(object), decision });
    }
  }
  return { decisions, problems };
}

function parsedAnnotation(text: string | undefined): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function placeOf({ source, name }: ManifestObject): string {
  const pointer = toJsonPointer('metadata', 'annotations', hardenAnnotation);
  const at = source ? `${source.file}:${source.lineOf(pointer)} ` : '';
  return `${at}Service ${name} ${hardenAnnotation}`;
}

/** A decision, and where it was made. */
export interface NamedDecision {
  readonly path: string;
  readonly decision: HardeningDecision;
}

/**
 * Reads the decisions under `harden` of a `cluster-canary.yaml`.
 *
 * @param file how messages name it
 * @throws InvalidInput with everything that is wrong, each with its line
 *
 * @example
 * harden:
 *   - service: platform/gate
 *     injectCaFrom: platform/gate-ca-g1
 *     timeoutSeconds: 5
 *   - webhook: pods.gate.example.com
 *     failurePolicy: Ignore
 *     optIn: { example.com/gate: enabled }
 */
export function readDecisions(text: string, file: string): readonly HardeningDecision[] {
  const content = readSettings<unknown>(text, file, (said) => {
    const { harden } = isPlainObject(said) ? said : {};
    const listed: readonly unknown[] = Array.isArray(harden) ? harden : [];
    const found = [
      ...problemsOf(decisionsSchema, harden ?? []),
      ...secondDecisions(listed).map(({ position, first, key, value }) => ({
        ...placed([position, key]),
        value,
        allowed: `decided once: harden[${first}] is about the same`,
      })),
    ];
    return found.map((problem) => ({ ...problem, ...placed(['harden', ...problem.steps]) }));
  });
  const { harden } = isPlainObject(content) ? content : {};
  return (harden as readonly HardeningDecision[] | null | undefined) ?? [];
}

const decisionsSchema = list(decisionSchema, 0, 'a list of decisions');

function placed(steps: PathSteps): Pick<PlacedProblem, 'path' | 'steps'> {
  return { path: pathText(steps), steps };
}
