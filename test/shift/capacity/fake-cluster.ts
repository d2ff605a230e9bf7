import type {
  ApplyOptions,
  KubernetesApi,
  KubernetesObject,
  ListOptions,
  ObjectKind,
  ObjectReference,
  WriteOptions,
} from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { KubernetesFailure } from '../../../lib/core/kubernetes/errors';

type Stored = any;

/** What a call is, for faults: `patch HorizontalPodAutoscaler shop/web`. */
export interface FakeCall {
  readonly verb: 'get' | 'list' | 'patch';
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun: boolean;
}

/** Fields of `spec` that controllers keep; a defaulted one is never unset. */
const defaults: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  HorizontalPodAutoscaler: { minReplicas: 1 },
  Deployment: { replicas: 1 },
  StatefulSet: { replicas: 1 },
};

/**
 * One cluster's API server in memory: preconditions, merge patches, owners of fields of `spec`, and what its controllers do
 * when they are asked to.
 */
export class FakeCluster implements KubernetesApi {
  public readonly objects = new Map<string, Stored>();
  /** Every call that took effect, or was asked for: `patch HorizontalPodAutoscaler shop/web`. */
  public readonly calls: string[] = [];
  /** Called before a call takes effect; what it throws is the answer. */
  public before: (call: FakeCall) => void = () => undefined;
  /** Called after a call took effect; what it throws is the answer. */
  public after: (call: FakeCall) => void = () => undefined;
  /** Kinds that the server does not know. */
  public readonly unknownKinds = new Set<string>();
  private versions = 0;

  public constructor(public readonly server: string) {}

  /** Puts an object there, as its manifest says, by Argo CD. */
  public put(object: Stored): Stored {
    const { metadata } = object;
    const stored = structuredClone({
      ...object,
      spec: { ...defaults[object.kind], ...merged(object.spec) },
      metadata: {
        ...metadata,
        managedFields: [owned('argocd-controller', Object.keys(object.spec ?? {}), 0)],
      },
    });
    this.objects.set(keyOf(stored), stored);
    this.touch(stored);
    return stored;
  }

  public find(kind: string, name: string, namespace = 'shop'): Stored {
    return this.objects.get(`${kind} ${namespace}/${name}`);
  }

  /** Writes as somebody else does. */
  public change(kind: string, name: string, spec: object, manager: string, namespace = 'shop'): void {
    const object = this.find(kind, name, namespace);
    Object.assign(object.spec, spec);
    this.own(object, Object.keys(spec), manager);
    this.touch(object);
  }

  public async get(reference: ObjectReference): Promise<KubernetesObject> {
    const call = callOf('get', reference);
    await this.begin(call);
    const found = this.stored(reference);
    this.after(call);
    return structuredClone(found);
  }

  public async list(
    { kind }: ObjectKind,
    { namespace }: ListOptions = {},
  ): Promise<readonly KubernetesObject[]> {
    const call: FakeCall = { verb: 'list', kind, ...(namespace && { namespace }), dryRun: false };
    await this.begin(call);
    if (this.unknownKinds.has(kind)) {
      throw failure('unsupported', `${this.server}: the server has no kind ${kind}`);
    }
    const all = [...this.objects.values()].filter(
      (each) => each.kind === kind && (namespace === undefined || each.metadata.namespace === namespace),
    );
    this.after(call);
    return structuredClone(all);
  }

  public async patch(
    reference: ObjectReference,
    patch: Stored,
    { fieldManager = 'cluster-canary', dryRun = false }: WriteOptions = {},
  ): Promise<KubernetesObject> {
    const call = callOf('patch', reference, dryRun);
    await this.begin(call);
    const found = this.stored(reference);
    const { resourceVersion, annotations, ...others } = patch.metadata;
    if (Object.keys(others).length > 0) {
      throw new Error(`a patch of metadata.${Object.keys(others)[0]} is not expected`);
    }
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) {
      throw failure('conflict', `${this.server}: the object has been modified`);
    }
    const changed = structuredClone(found);
    changed.metadata.annotations = merged(changed.metadata.annotations, annotations);
    changed.spec = { ...defaults[changed.kind], ...merged(changed.spec, patch.spec) };
    this.refuseWrong(changed);
    if (!dryRun) {
      const fields = Object.keys(patch.spec ?? {}).filter((key) => changed.spec[key] !== found.spec[key]);
      this.own(changed, fields, fieldManager);
      this.objects.set(keyOf(changed), changed);
      this.touch(changed);
    }
    this.after(call);
    return structuredClone(changed);
  }

  public create(): never {
    throw new Error('capacity creates nothing');
  }

  public replace(): never {
    throw new Error('capacity replaces nothing');
  }

  public apply(_object: KubernetesObject, _options?: ApplyOptions): never {
    throw new Error('an applied field is taken away when it is given up');
  }

  public remove(): never {
    throw new Error('capacity removes nothing');
  }

  public close(): void {
    // Nothing is open.
  }

  private async begin(call: FakeCall): Promise<void> {
    await Promise.resolve();
    this.before(call);
    this.calls.push(textOf(call));
  }

  private stored(reference: ObjectReference): Stored {
    const found = this.objects.get(keyOf(reference));
    if (!found) {
      throw failure('notFound', `${this.server}: not found (404)`);
    }
    return found;
  }

  /** As validation, and KEDA's webhook. */
  private refuseWrong({ kind, spec }: Stored): void {
    const [least, most] =
      kind === 'HorizontalPodAutoscaler'
        ? [spec.minReplicas, spec.maxReplicas]
        : kind === 'ScaledObject'
          ? [spec.minReplicaCount ?? 0, spec.maxReplicaCount ?? 100]
          : [0, 0];
    if (least > most) {
      throw failure('invalid', `${this.server}: not accepted (422): the minimum is above the maximum`);
    }
  }

  private own(object: Stored, fields: readonly string[], manager: string): void {
    for (const entry of object.metadata.managedFields) {
      fields.forEach((field) => delete entry.fieldsV1['f:spec'][`f:${field}`]);
    }
    if (fields.length > 0) {
      object.metadata.managedFields.push(owned(manager, fields, this.versions));
    }
  }

  /** A write, or a change of the status. */
  public touch(object: Stored): void {
    this.versions += 1;
    object.metadata.resourceVersion = String(this.versions);
  }
}

function owned(manager: string, fields: readonly string[], at: number): object {
  return {
    manager,
    operation: 'Update',
    time: new Date(at * 1_000).toISOString(),
    fieldsV1: { 'f:spec': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
  };
}

function merged(before: object = {}, patch: object = {}): object {
  return Object.fromEntries(
    Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null && value !== undefined),
  );
}

function keyOf({ kind, metadata }: ObjectReference): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

function callOf(verb: FakeCall['verb'], { kind, metadata }: ObjectReference, dryRun = false): FakeCall {
  return { verb, kind, namespace: metadata.namespace!, name: metadata.name, dryRun };
}

function textOf({ verb, kind, namespace, name, dryRun }: FakeCall): string {
  return `${dryRun ? 'try ' : ''}${verb} ${kind}${namespace ? ` ${namespace}` : ''}${name ? `/${name}` : ''}`;
}

/** An answer that is none. */
export function failure(reason: KubernetesFailure, message: string): KubernetesError {
  return new KubernetesError(reason, message);
}
