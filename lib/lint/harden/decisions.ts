import type { FailurePolicy } from '../../core/admission/intent';
import type { Labels } from '../../core/kubernetes/label-selector';
import { hardenAnnotation } from '../../core/names';
import { checkLength } from '../../core/validation/document';
import {
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  oneOf,
  wholeNumber,
} from '../../core/validation/formats';
import { unknownKey } from '../../core/validation/known-keys';
import { InvalidInput, Problems, isMapping } from '../../core/validation/problems';
import type { Problem, Rule, Untyped } from '../../core/validation/problems';
import { Field, pointerTo } from '../object';
import type { JudgedObject } from '../object';
import { locate } from '../read/documents';
import { parseYaml } from '../read/yaml';

/** What somebody has decided about webhooks, since no manifest can say it. */
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
  /** What becomes of a request when the webhook can't be asked. @default - as it is */
  readonly failurePolicy?: FailurePolicy;
  /** Longest timeout, 1 to 30 s: a longer one is cut, a missing one is set. @default - as it is */
  readonly timeoutSeconds?: number;
  /** Namespaces that the webhooks do not see, by name: `kube-system`, their own. @default - as it is */
  readonly leaveOut?: readonly string[];
  /** Labels that objects must have to be seen by the webhooks. @default - as it is */
  readonly optIn?: Labels;
}

const keys: readonly (keyof HardeningDecision)[] = [
  'service',
  'webhook',
  'injectCaFrom',
  'injectCaFromSecret',
  'issuer',
  'clusterIssuer',
  'failurePolicy',
  'timeoutSeconds',
  'leaveOut',
  'optIn',
];

/** `NAMESPACE/NAME` */
const namespacedName: Rule = {
  allowed: 'NAMESPACE/NAME',
  accepts: (value) => {
    const [namespace, name, ...more] = typeof value === 'string' ? value.split('/') : [];
    return more.length === 0 && dnsLabel.accepts(namespace) && dnsSubdomain.accepts(name);
  },
};

const webhookName: Rule = {
  allowed: 'the name of a webhook in a webhook configuration, such as "pods.gate.example.com"',
  accepts: (value) => typeof value === 'string' && value !== '',
};

const labels: Rule = {
  allowed: 'labels, one or more: { "example.com/gate": "enabled" }',
  accepts: (value) =>
    isMapping(value) &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(([key, each]) => labelKey.accepts(key) && labelValue.accepts(each)),
};

const namespaces: Rule = {
  allowed: 'names of namespaces, one or more: ["kube-system"]',
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => dnsLabel.accepts(each)),
};

const rules: Readonly<Record<keyof HardeningDecision, Rule>> = {
  service: namespacedName,
  webhook: webhookName,
  injectCaFrom: namespacedName,
  injectCaFromSecret: namespacedName,
  issuer: namespacedName,
  clusterIssuer: dnsSubdomain,
  failurePolicy: oneOf('Fail', 'Ignore'),
  timeoutSeconds: wholeNumber(1, 30),
  leaveOut: namespaces,
  optIn: labels,
};

/** What is wrong with a decision that somebody wrote, with paths below it. */
export function checkDecision(value: unknown): Problems {
  const problems = new Problems('decision');
  if (!isMapping(value)) {
    problems.add('decision', value, `a map with ${keys.join(', ')}`);
    return problems;
  }
  for (const [key, each] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, key) ? rules[key as keyof HardeningDecision] : undefined;
    if (!rule) {
      problems.addSecret(key, unknownKey(key, keys));
    } else if (each !== undefined) {
      problems.check(key, each, rule);
    }
  }
  checkTogether(value, problems);
  return problems;
}

/** Decisions about what one before them is about, each with its position in the list. */
export function secondDecisions(decisions: readonly unknown[]): readonly SecondDecision[] {
  const seen = new Map<string, number>();
  return decisions.flatMap((decision, position) => {
    const { service, webhook } = isMapping(decision) ? decision : {};
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

function checkTogether(decision: Untyped, problems: Problems): void {
  const { service, webhook } = decision;
  if (Object.entries(decision).every(([key, value]) => isSubject(key) || value === undefined)) {
    const decided = keys.filter((key) => !isSubject(key));
    problems.add('decision', decision, `one that decides something: ${decided.join(', ')}`);
  }
  if (service === undefined && webhook === undefined) {
    problems.add('service', undefined, 'NAMESPACE/NAME, where webhook is not said either');
  }
  for (const [first, second] of [
    ['injectCaFrom', 'injectCaFromSecret'],
    ['issuer', 'clusterIssuer'],
  ] as const) {
    if (decision[first] !== undefined && decision[second] !== undefined) {
      problems.add(second, decision[second], `left out beside ${first}`);
    }
  }
  const [namespace] = typeof service === 'string' ? service.split('/') : [];
  const { issuer } = decision;
  if (typeof issuer === 'string' && namespace !== undefined && !issuer.startsWith(`${namespace}/`)) {
    problems.add(
      'issuer',
      issuer,
      `${namespace}/NAME: an Issuer signs Certificates of its own namespace only`,
    );
  }
  const isOfServer = webhook === undefined && service !== undefined;
  for (const [keysOfOne, reason] of ofServer) {
    const key = keysOfOne.find((each) => decision[each] !== undefined);
    if (key !== undefined && !isOfServer) {
      problems.add(key, decision[key], `beside service alone: ${reason}`);
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
export function declaredDecisions(objects: readonly JudgedObject[]): DeclaredDecisions {
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
              ...checkDecision(decision).all,
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

function parsedAnnotation(text: string | undefined): Untyped | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function placeOf({ source, name }: JudgedObject): string {
  const pointer = pointerTo('metadata', 'annotations', hardenAnnotation);
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
  checkLength(text, file);
  const listed = Field.ofValue(parsed(text, file)).get('harden');
  if (!listed.exists) {
    return [];
  }
  const places = locate(text);
  const problems: Problem[] = Array.isArray(listed.value)
    ? []
    : [
        {
          path: `${file}:${places.lineOf('/harden') + 1} harden`,
          value: listed.value,
          allowed: 'a list of decisions',
        },
      ];
  listed.items.forEach((item, position) => {
    for (const problem of checkDecision(item.value).all) {
      const [key = ''] = problem.path.split('.');
      const line = places.lineOf(item.get(key).pointer) + 1;
      problems.push({ ...problem, path: `${file}:${line} harden[${position}].${problem.path}` });
    }
  });
  for (const { position, first, key, value } of secondDecisions(listed.items.map((item) => item.value))) {
    const line = places.lineOf(listed.items[position]!.get(key).pointer) + 1;
    problems.push({
      ...{ path: `${file}:${line} harden[${position}].${key}`, value },
      allowed: `decided once: harden[${first}] is about the same`,
    });
  }
  if (problems.length > 0) {
    throw new InvalidInput('hardening configuration', problems);
  }
  return listed.items.map(({ value }) => value as HardeningDecision);
}

function parsed(text: string, file: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    const said = (error as Error).message.split('\n')[0];
    throw new InvalidInput('hardening configuration', [{ path: file, allowed: `valid YAML: ${said}` }]);
  }
}
