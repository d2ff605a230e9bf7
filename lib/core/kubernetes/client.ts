import { isPlainObject } from '../validation/problems';
import { findAccess } from './access';
import type { KubernetesSettings, KubeconfigEnvironment } from './access';
import { logPath } from './api';
import type {
  ApplyOptions,
  KubernetesApi,
  KubernetesObject,
  ListOptions,
  ObjectReference,
  PodLogOptions,
  PodLogs,
  RemoveOptions,
  ObjectKind,
  ServerVersion,
  WriteOptions,
} from './api';
import { UserCredentials } from './credentials';
import { KubernetesError, describeRequest, isKubernetesError } from './errors';
import type { Request } from './errors';
import { ListReader, longestLog } from './lists';
import { podProxyCall } from './pod-proxy';
import type { PodProxy, PodProxyOptions } from './pod-proxy';
import { RequestSender, defaultLimits } from './requests';
import type { Call, RetryLimits } from './requests';
import { Resources, apiGroupOf, groupPath } from './resources';
import { askServedKinds } from './discovery';
import { longestMetrics, metadataOnly } from './survey';
import type { ServedKinds, Survey } from './survey';
import { httpsTransport } from './transport';

const pageSize = 500;

/** The API of one server. */
export class ApiClient implements KubernetesApi, PodLogs, PodProxy, ServerVersion, Survey {
  public readonly server: string;
  private readonly resources: Resources;

  /** @param namespace of objects that name none */
  public constructor(
    private readonly caller: RequestSender,
    private readonly namespace = 'default',
  ) {
    this.server = caller.server;
    this.resources = new Resources(this.server, (path) =>
      caller.call({
        request: { verb: 'get', resource: path, group: '' },
        method: 'GET',
        path,
        repeatable: 'always',
      }),
    );
  }

  public async get(reference: ObjectReference, signal?: AbortSignal): Promise<KubernetesObject> {
    const place = await this.place('get', reference, signal);
    return this.object({ ...place, method: 'GET', repeatable: 'always' });
  }

  public list(kind: ObjectKind, options: ListOptions = {}): Promise<readonly KubernetesObject[]> {
    return this.whole(kind, options, (object) => object);
  }

  public listMetadata<Kept>(
    kind: ObjectKind,
    keep: (object: KubernetesObject) => Kept | undefined,
    options: ListOptions = {},
  ): Promise<readonly Kept[]> {
    return this.whole(kind, options, keep, metadataOnly);
  }

  public servedKinds(signal?: AbortSignal): Promise<ServedKinds> {
    return askServedKinds(this.caller, this.server, signal);
  }

  public metrics(signal?: AbortSignal): Promise<string> {
    return this.caller.text({
      request: { verb: 'get', resource: '/metrics', group: '' },
      method: 'GET',
      path: '/metrics',
      accept: '*/*',
      longest: longestMetrics,
      repeatable: 'always',
      ...(signal ? { signal } : {}),
    });
  }

  public async tryCreate(object: KubernetesObject, signal?: AbortSignal): Promise<void> {
    await this.posted(object, tryQuery, signal);
  }

  public async create(object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.posted(object, written(options), options.signal);
  }

  public async replace(object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    const place = await this.place('update', object, options.signal);
    return this.object({
      ...place,
      method: 'PUT',
      path: `${place.path}${written(options)}`,
      body: object,
      repeatable: 'unlessBegun',
    });
  }

  public async apply(object: KubernetesObject, options: ApplyOptions = {}): Promise<KubernetesObject> {
    const place = await this.place('patch', object, options.signal);
    return this.object({
      ...place,
      method: 'PATCH',
      path: `${place.path}${written(options, { force: String(options.force ?? false) })}`,
      body: object,
      // JSON is YAML, too.
      contentType: 'application/apply-patch+yaml',
      repeatable: 'always',
    });
  }

  public async patch(
    reference: ObjectReference,
    patch: object,
    options: WriteOptions = {},
  ): Promise<KubernetesObject> {
    const place = await this.place('patch', reference, options.signal);
    return this.object({
      ...place,
      method: 'PATCH',
      path: `${place.path}${written(options)}`,
      body: patch,
      contentType: 'application/merge-patch+json',
      repeatable: 'unlessBegun',
    });
  }

  public async remove(reference: ObjectReference, options: RemoveOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagation = 'Background' } = options;
    const place = await this.place('delete', reference, options.signal);
    await this.caller.call({
      ...place,
      method: 'DELETE',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: propagation,
        preconditions: { uid, resourceVersion },
      },
      repeatable: 'unlessBegun',
    });
  }

  public podLog(options: PodLogOptions): Promise<string> {
    const { namespace, pod, limitBytes, timeout, signal } = options;
    return this.caller.text({
      request: { verb: 'get', resource: 'pods/log', group: '', namespace, name: pod },
      method: 'GET',
      path: logPath(options),
      accept: '*/*',
      // "It may return slightly more or slightly less than the specified limit."
      longest: limitBytes === undefined ? longestLog : 2 * limitBytes + 65_536,
      repeatable: 'always',
      ...(timeout === undefined ? {} : { timeout }),
      ...(signal ? { signal } : {}),
    });
  }

  public podProxy(options: PodProxyOptions): Promise<string> {
    return this.caller.text(podProxyCall(options));
  }

  public async version(signal?: AbortSignal): Promise<string> {
    const answer = await this.caller.call({
      request: { verb: 'get', resource: '/version', group: '' },
      method: 'GET',
      path: '/version',
      repeatable: 'always',
      ...(signal ? { signal } : {}),
    });
    const { gitVersion } = (answer ?? {}) as { readonly gitVersion?: unknown };
    if (typeof gitVersion !== 'string') {
      throw new KubernetesError('faulty', `${this.server}: the server does not say its version`);
    }
    return gitVersion;
  }

  public close(): void {
    this.caller.close();
  }

  private async posted(
    object: KubernetesObject,
    query: string,
    signal: AbortSignal | undefined,
  ): Promise<KubernetesObject> {
    const { path, ...place } = await this.place('create', object, signal);
    return this.object({
      ...place,
      method: 'POST',
      path: `${path.slice(0, path.lastIndexOf('/'))}${query}`,
      body: object,
      repeatable: 'unlessBegun',
    });
  }

  private async whole<Kept>(
    kind: ObjectKind,
    options: ListOptions,
    keep: (object: KubernetesObject) => Kept | undefined,
    accept?: string,
  ): Promise<readonly Kept[]> {
    const read = async (limit: number): Promise<readonly Kept[]> => {
      const kept: Kept[] = [];
      await this.pages(kind, options, limit, accept, (object) => {
        const found = keep(object);
        if (found !== undefined) {
          kept.push(found);
        }
      });
      return kept;
    };
    try {
      return await read(options.pageSize ?? pageSize);
    } catch (error) {
      if (!isKubernetesError(error, 'expired')) {
        throw error;
      }
      // The rest of the pages would be of another state; one page is of one state.
      return read(0);
    }
  }

  private async pages(
    kind: ObjectKind,
    { namespace, labelSelector, fieldSelector, signal }: ListOptions,
    limit: number,
    accept: string | undefined,
    take: (object: KubernetesObject) => void,
  ): Promise<void> {
    const { request, path } = await this.collection('list', kind, namespace, signal);
    const list = new ListReader(kind, `${this.server}: ${describeRequest(request)}`);
    do {
      const query = new URLSearchParams({
        ...(labelSelector ? { labelSelector } : {}),
        ...(fieldSelector ? { fieldSelector } : {}),
        ...(limit > 0 ? { limit: String(limit) } : {}),
        ...(list.next ? { continue: list.next } : {}),
      }).toString();
      const { content, length } = await this.caller.sized({
        request,
        method: 'GET',
        path: query ? `${path}?${query}` : path,
        repeatable: 'always',
        ...(accept === undefined ? {} : { accept }),
        ...(signal ? { signal } : {}),
      });
      list.add(content, length);
      list.objects.splice(0).forEach(take);
    } while (list.next);
  }

  private async object(call: Call): Promise<KubernetesObject> {
    const answer = await this.caller.call(call);
    if (!isPlainObject(answer)) {
      const asked = `${this.server}: ${describeRequest(call.request)}`;
      throw new KubernetesError('faulty', `${asked}: the answer is no object; is this an API server?`);
    }
    return answer as KubernetesObject;
  }

  private async place(
    verb: string,
    reference: ObjectReference,
    signal?: AbortSignal,
  ): Promise<Pick<Call, 'request' | 'path' | 'signal'>> {
    const { name, namespace = this.namespace } = reference.metadata;
    const { request, path } = await this.collection(verb, reference, namespace, signal);
    return {
      request: { ...request, name },
      path: `${path}/${encodeURIComponent(name)}`,
      ...(signal ? { signal } : {}),
    };
  }

  private async collection(
    verb: string,
    kind: ObjectKind,
    namespace: string | undefined,
    signal?: AbortSignal,
  ): Promise<{ readonly request: Request; readonly path: string }> {
    const { name, namespaced } = await this.resources.resource(kind, signal);
    const within = namespaced && namespace !== undefined;
    const middle = within ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return {
      request: { verb, resource: name, group: apiGroupOf(kind.apiVersion), ...(within ? { namespace } : {}) },
      path: `${groupPath(kind.apiVersion)}${middle}/${name}`,
    };
  }
}

/** Fields that the API does not know are refused: they are mistakes, and would be dropped without a word. */
function written(
  { fieldManager = 'cluster-canary', dryRun = false }: WriteOptions,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = { fieldManager, fieldValidation: 'Strict', ...(dryRun ? { dryRun: 'All' } : {}), ...more };
  return `?${new URLSearchParams(query).toString()}`;
}

/** What an object was when it was written is no matter: fields that the server does not know are dropped, as ever. */
const tryQuery = `?${new URLSearchParams({ fieldManager: 'cluster-canary', fieldValidation: 'Ignore', dryRun: 'All' }).toString()}`;

/** Puts the parts of a client together. */
export async function connect(
  settings: KubernetesSettings,
  limits: Partial<RetryLimits>,
  surroundings: KubeconfigEnvironment,
): Promise<KubernetesApi & PodLogs & PodProxy & ServerVersion & Survey> {
  const access = await findAccess(settings, surroundings);
  const transport = httpsTransport(access, surroundings.env);
  const caller = new RequestSender(access.server, transport, new UserCredentials(access), {
    ...defaultLimits,
    ...limits,
  });
  return new ApiClient(caller, access.namespace);
}
