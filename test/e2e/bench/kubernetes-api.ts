import type { Access } from './https-json';
import { HttpsJson } from './https-json';

/** Names one object. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** An object as the API server takes and answers it. */
export type KubernetesObject = ObjectRef & {
  readonly metadata: { readonly [field: string]: any };
  readonly [field: string]: any;
};

/** How something is written. */
export interface WriteOptions {
  /** Owner of the written fields. @default 'e2e' */
  readonly fieldManager?: string;
  /** Whether nothing is stored. @default false */
  readonly dryRun?: boolean;
  /** What happens to fields that the API does not know. @default 'Strict' - they are refused */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

/** What is patched, and how. */
export interface PatchOptions extends WriteOptions {
  /** @default 'merge' */
  readonly type?: 'merge' | 'strategic-merge' | 'json';
  /** Such as `status` or `scale`. */
  readonly subresource?: string;
}

/** Which objects are listed. */
export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The API server refused. */
export class KubernetesError extends Error {
  public constructor(
    what: string,
    public readonly status: number,
    public readonly body: any,
  ) {
    super(`${what}: ${status} ${typeof body === 'object' ? body?.message : body}`);
    this.name = 'KubernetesError';
  }

  /** `NotFound`, `Conflict`, `Invalid`, ... */
  public get reason(): string | undefined {
    return this.body?.reason;
  }
}

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
}

/** The Kubernetes API, as JSON, without types of its own. */
export class KubernetesApi {
  private readonly https: HttpsJson;
  private readonly resources = new Map<string, Resource>();

  public constructor(access: Access) {
    this.https = new HttpsJson(access);
  }

  /** Closes the connections. */
  public close(): void {
    this.https.close();
  }

  /** One call to any path; fails with {@link KubernetesError} unless it succeeds. */
  public async call(method: string, path: string, body?: unknown, contentType?: string, timeout?: number) {
    const answer = await this.https.call({ method, path, body, contentType, timeout });
    if (answer.status >= 300) {
      throw new KubernetesError(`${method} ${path}`, answer.status, answer.body);
    }
    return answer.body;
  }

  public async get(ref: ObjectRef): Promise<KubernetesObject> {
    return this.call('GET', await this.path(ref));
  }

  /** The object, or `undefined` where there is none. */
  public async find(ref: ObjectRef): Promise<KubernetesObject | undefined> {
    return this.get(ref).catch((error: unknown) => {
      if (error instanceof KubernetesError && error.status === 404) {
        return undefined;
      }
      throw error;
    });
  }

  public async list(
    apiVersion: string,
    kind: string,
    { namespace, ...selectors }: ListOptions = {},
  ): Promise<KubernetesObject[]> {
    const collection = await this.collection(apiVersion, kind, namespace);
    const { items } = await this.call('GET', `${collection}${query({ ...selectors })}`);
    return items.map((item: object) => ({ apiVersion, kind, ...item }));
  }

  public async create(object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    const { apiVersion, kind, metadata } = object;
    const collection = await this.collection(apiVersion, kind, metadata.namespace ?? 'default');
    return this.call('POST', `${collection}${query(written(options))}`, object);
  }

  /** Server-side apply, also over the fields of others. */
  public async apply(object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    const path = `${await this.path(object)}${query({ ...written(options), force: 'true' })}`;
    // JSON is YAML, too.
    return this.call('PATCH', path, object, 'application/apply-patch+yaml');
  }

  public async patch(ref: ObjectRef, patch: unknown, options: PatchOptions = {}): Promise<KubernetesObject> {
    const { type = 'merge', subresource, ...rest } = options;
    const below = subresource === undefined ? '' : `/${subresource}`;
    const path = `${await this.path(ref)}${below}${query(written(rest))}`;
    return this.call('PATCH', path, patch, `application/${type}-patch+json`);
  }

  public async delete(
    ref: ObjectRef,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan' = 'Background',
  ): Promise<void> {
    await this.call('DELETE', await this.path(ref), { propagationPolicy });
  }

  /** Path of an object. */
  public async path({ apiVersion, kind, metadata }: ObjectRef): Promise<string> {
    const collection = await this.collection(apiVersion, kind, metadata.namespace ?? 'default');
    return `${collection}/${encodeURIComponent(metadata.name)}`;
  }

  private async collection(apiVersion: string, kind: string, namespace?: string): Promise<string> {
    const { name, namespaced } = await this.resource(apiVersion, kind);
    const within = namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
    return `${groupPath(apiVersion)}${within}/${name}`;
  }

  private async resource(apiVersion: string, kind: string): Promise<Resource> {
    const key = `${apiVersion}/${kind}`;
    if (!this.resources.has(key)) {
      const { resources } = await this.call('GET', groupPath(apiVersion));
      for (const each of resources.filter(({ name }: Resource) => !name.includes('/'))) {
        this.resources.set(`${apiVersion}/${each.kind}`, each);
      }
    }
    const found = this.resources.get(key);
    if (!found) {
      throw new Error(`the API server has no ${kind} in ${apiVersion}`);
    }
    return found;
  }
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function written({ fieldManager = 'e2e', dryRun = false, fieldValidation = 'Strict' }: WriteOptions) {
  return { fieldManager, fieldValidation, ...(dryRun ? { dryRun: 'All' } : {}) };
}

function query(values: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(values).toString();
  return text === '' ? '' : `?${text}`;
}
