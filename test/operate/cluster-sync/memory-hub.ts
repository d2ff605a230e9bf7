import type {
  ApplyOptions,
  KubernetesApi,
  KubernetesObject,
  ObjectReference,
} from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';

type Stored = any;

/** An API server's Secrets of one namespace in memory, with the ownership of fields that server-side apply has. */
export class MemoryHub implements KubernetesApi {
  public readonly server = 'https://hub.example.com';
  /** Every write: `apply NAME`. */
  public readonly writes: string[] = [];
  public readonly secrets = new Map<string, Stored>();
  /** Names of Secrets whose writes fail. */
  public readonly broken = new Set<string>();
  private versions = 0;

  /** Puts a Secret there that somebody has made by hand. */
  public put(
    name: string,
    metadata: object = {},
    data: Readonly<Record<string, string>> = {},
    manager = 'kubectl',
  ): void {
    const given = metadata as { labels?: object; annotations?: object };
    this.store({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
      metadata: {
        name,
        namespace: 'argocd',
        uid: `uid-${name}-${this.versions}`,
        ...given,
        managedFields: [],
      },
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    });
    this.own(this.secrets.get(name), manager, 'Update', { metadata: given, data });
  }

  /** Plain data of a Secret. */
  public data(name: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.secrets.get(name).data).map(([key, value]) => [
        key,
        Buffer.from(value as string, 'base64').toString(),
      ]),
    );
  }

  public get names(): string[] {
    return [...this.secrets.keys()].sort();
  }

  public list(): Promise<readonly KubernetesObject[]> {
    const isCluster = ({ metadata }: Stored) =>
      metadata.labels?.['argocd.argoproj.io/secret-type'] === 'cluster';
    return Promise.resolve(structuredClone([...this.secrets.values()].filter(isCluster)));
  }

  public get({ metadata: { name } }: ObjectReference): Promise<KubernetesObject> {
    const found = this.secrets.get(name);
    return found ? Promise.resolve(structuredClone(found)) : Promise.reject(failure('notFound'));
  }

  public async apply(
    object: Stored,
    { fieldManager = '', force = false }: ApplyOptions = {},
  ): Promise<KubernetesObject> {
    await Promise.resolve();
    const { name, uid } = object.metadata;
    this.written('apply', name);
    const before = this.secrets.get(name);
    if (uid !== undefined && before?.metadata.uid !== uid) {
      throw failure('conflict');
    }
    const merged: Stored = structuredClone(
      before ?? {
        ...object,
        metadata: { name, namespace: 'argocd', uid: `uid-${name}-${this.versions}`, managedFields: [] },
        data: {},
      },
    );
    const parts: [Stored, Stored, string][] = ['labels', 'annotations'].map((part) => {
      merged.metadata[part] ??= {};
      return [merged.metadata[part], object.metadata[part] ?? {}, part];
    });
    parts.push([merged.data, object.data ?? {}, 'data']);
    const own = merged.metadata.managedFields.find(
      (each: any) => each.manager === fieldManager && each.operation === 'Apply',
    );
    for (const [target, wanted, part] of parts) {
      for (const [key, value] of Object.entries(wanted)) {
        const others = this.ownersOf(merged, part, key).filter((each) => each !== own);
        if (others.length > 0 && target[key] !== value && !force) {
          throw failure('conflict');
        }
        target[key] = value;
      }
      for (const key of own ? keysOf(own, part) : []) {
        if (!(key in wanted) && this.ownersOf(merged, part, key).length === 1) {
          delete target[key];
        }
      }
    }
    merged.metadata.managedFields = merged.metadata.managedFields.filter((each: any) => each !== own);
    this.store(merged);
    this.own(merged, fieldManager, 'Apply', object);
    return merged;
  }

  public async patch(reference: ObjectReference, patch: any): Promise<KubernetesObject> {
    await Promise.resolve();
    const { name } = reference.metadata;
    this.written('patch', name);
    const found = this.secrets.get(name);
    if (!found) {
      throw failure('notFound');
    }
    if (patch.metadata.uid !== found.metadata.uid) {
      throw failure('conflict');
    }
    const annotations = { ...found.metadata.annotations, ...patch.metadata.annotations };
    found.metadata.annotations = Object.fromEntries(
      Object.entries(annotations).filter(([, value]) => value !== null),
    );
    this.store(found);
    return found;
  }

  public async remove({ metadata: { name } }: ObjectReference, options: any = {}): Promise<void> {
    await Promise.resolve();
    this.written('remove', name);
    const found = this.secrets.get(name);
    if (!found) {
      throw failure('notFound');
    }
    if (options.uid !== found.metadata.uid || options.resourceVersion !== found.metadata.resourceVersion) {
      throw failure('conflict');
    }
    this.secrets.delete(name);
  }

  public create(): never {
    throw new Error('a set makes Secrets by server-side apply');
  }

  public replace(): never {
    throw new Error('a set writes Secrets by server-side apply');
  }

  public close(): void {
    // Nothing is open.
  }

  private written(verb: string, name: string): void {
    this.writes.push(`${verb} ${name}`);
    if (this.broken.has(name)) {
      throw failure('denied');
    }
  }

  private store(object: Stored): void {
    this.versions += 1;
    object.metadata.resourceVersion = String(this.versions);
    this.secrets.set(object.metadata.name, object);
  }

  private own(object: Stored, manager: string, operation: string, fields: any): void {
    const tree = (values: object = {}) =>
      Object.fromEntries(Object.keys(values).map((key) => [`f:${key}`, {}]));
    object.metadata.managedFields.push({
      manager,
      operation,
      fieldsV1: {
        'f:metadata': {
          'f:labels': { '.': {}, ...tree(fields.metadata.labels) },
          'f:annotations': { '.': {}, ...tree(fields.metadata.annotations) },
        },
        'f:data': { '.': {}, ...tree(fields.data) },
      },
    });
  }

  private ownersOf(object: Stored, part: string, key: string): any[] {
    return object.metadata.managedFields.filter((each: any) => keysOf(each, part).includes(key));
  }
}

function keysOf({ fieldsV1 }: any, part: string): string[] {
  const tree = part === 'data' ? fieldsV1['f:data'] : fieldsV1['f:metadata'][`f:${part}`];
  return Object.keys(tree).flatMap((key) => (key === '.' ? [] : [key.slice(2)]));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function failure(reason: 'notFound' | 'conflict' | 'denied'): KubernetesError {
  return new KubernetesError(reason, `the hub: ${reason}`);
}
