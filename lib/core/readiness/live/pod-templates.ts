import type { KubernetesObject } from '../../kubernetes/api';
import { isPlainObject } from '../../validation/problems';
import { textsIn } from '../../redaction';
import { namesSecret } from '../../validation/secrets';
import { list, mapping } from './fields';

/** A pod as a workload would make it, and the workloads that make the same. */
export interface TriedPod {
  readonly pod: KubernetesObject;
  /** The workloads, the first one for the report; they are in one namespace. */
  readonly workloads: readonly KubernetesObject[];
  /** Texts of the pod that may be secrets. */
  readonly secrets: readonly string[];
}

/** Where workloads keep the template of their pods, and who makes these. */
const makers: Readonly<
  Record<string, { readonly template: readonly string[]; readonly owner?: readonly [string, string] }>
> = {
  Deployment: { template: ['spec', 'template'], owner: ['apps/v1', 'ReplicaSet'] },
  Rollout: { template: ['spec', 'template'], owner: ['apps/v1', 'ReplicaSet'] },
  StatefulSet: { template: ['spec', 'template'] },
  DaemonSet: { template: ['spec', 'template'] },
  CronJob: { template: ['spec', 'jobTemplate', 'spec', 'template'], owner: ['batch/v1', 'Job'] },
};

/** The pods of workloads, each that is made by several in one namespace once. */
export function triedPods(workloads: readonly KubernetesObject[]): readonly TriedPod[] {
  const found = new Map<string, { readonly pod: KubernetesObject; readonly workloads: KubernetesObject[] }>();
  for (const workload of workloads) {
    const pod = podOf(workload);
    if (pod === undefined) {
      continue;
    }
    const { namespace, labels, annotations } = pod.metadata;
    const key = JSON.stringify([namespace, labels, annotations, pod.spec]);
    const known = found.get(key) ?? { pod, workloads: [] };
    known.workloads.push(workload);
    found.set(key, known);
  }
  return [...found.values()].map((each) => ({ ...each, secrets: secretsIn(each.pod.spec) }));
}

/**
 * The pod that a workload makes, as far as it is known before. It names an owner, as policies ask for; that one is not there,
 * which is looked after only when a pod is stored.
 */
export function podOf(workload: KubernetesObject): KubernetesObject | undefined {
  const { kind, apiVersion, metadata } = workload;
  const maker = makers[kind];
  const template = maker?.template.reduce<unknown>((value, key) => mapping(value)[key], workload);
  if (maker === undefined || !isPlainObject(template) || !isPlainObject(template.spec)) {
    return undefined;
  }
  const { labels, annotations } = mapping(template.metadata);
  const [ownerVersion, ownerKind] = maker.owner ?? [apiVersion, kind];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${metadata.name.slice(0, 50).replace(/[^a-z0-9]+$/, '')}-dry-run`,
      namespace: metadata.namespace ?? 'default',
      ...(isPlainObject(labels) ? { labels: labels as Readonly<Record<string, string>> } : {}),
      ...(isPlainObject(annotations) ? { annotations: annotations as Readonly<Record<string, string>> } : {}),
      ownerReferences: [
        {
          apiVersion: ownerVersion,
          kind: ownerKind,
          name: metadata.name,
          uid: metadata.uid ?? '00000000-0000-4000-8000-000000000000',
          controller: true,
        },
      ],
    },
    spec: withClaims(template.spec, workload),
  };
}

/** The controller of StatefulSets adds a volume for each claim; without it, mounts of the template lead nowhere. */
function withClaims(
  spec: Readonly<Record<string, unknown>>,
  { metadata, spec: own }: KubernetesObject,
): object {
  const claims = list(mapping(own).volumeClaimTemplates).flatMap((each) => {
    const { name } = mapping(mapping(each).metadata);
    return typeof name === 'string' ? [name] : [];
  });
  return claims.length === 0
    ? spec
    : {
        ...spec,
        volumes: [
          ...list(spec.volumes).filter((each) => !claims.includes(String(mapping(each).name))),
          ...claims.map((name) => ({
            name,
            persistentVolumeClaim: { claimName: `${name}-${metadata.name}-0` },
          })),
        ],
      };
}

/** Long enough that no other word of a message is it by chance. In characters. */
const longText = 16;

/** Values of variables that are named like secrets, and all long ones: webhooks quote what they refuse. */
function secretsIn(spec: unknown): readonly string[] {
  const { containers, initContainers } = mapping(spec);
  return [...list(containers), ...list(initContainers)]
    .flatMap((container) => list(mapping(container).env))
    .flatMap((variable) => {
      const { name, value } = mapping(variable);
      return textsIn(value).filter(
        (text) => text.length >= longText || (typeof name === 'string' && namesSecret(name)),
      );
    });
}
