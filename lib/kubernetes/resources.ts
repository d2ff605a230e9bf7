import { isMapping } from '../problems';
import { KubernetesError } from './kubernetes-error';
import type { ResourceKind } from './kubernetes-object';
import { orAborted } from './waiting';

/** How a kind appears in paths and access rules. */
export interface Resource {
  /** `applications` */
  readonly name: string;
  readonly namespaced: boolean;
}

/** Path of an API group's version. */
export function groupPath(apiVersion: string): string {
  const parts = apiVersion.split('/').map(encodeURIComponent).join('/');
  return apiVersion.includes('/') ? `/apis/${parts}` : `/api/${parts}`;
}

/** `argoproj.io` of `argoproj.io/v1alpha1`; the core group has no name. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/**
 * The resources of an API server by kind, asked once for each group's version. A kind that was not there is asked for
 * again the next time, since it may have come meanwhile.
 */
export class Resources {
  private readonly known = new Map<string, Promise<ReadonlyMap<string, Resource>>>();

  /** @param ask answers the `APIResourceList` at a path, as parsed JSON */
  public constructor(
    private readonly server: string,
    private readonly ask: (path: string) => Promise<unknown>,
  ) {}

  /** @throws KubernetesError `unsupported` where the server has no such kind */
  public async resource({ apiVersion, kind }: ResourceKind, signal?: AbortSignal): Promise<Resource> {
    let asked = this.known.get(apiVersion);
    if (!asked) {
      asked = this.ask(groupPath(apiVersion)).then(resourcesIn);
      this.known.set(apiVersion, asked);
    }
    try {
      // Others may wait for the same answer: only the waiting ends with the signal.
      const found = (await orAborted(asked, signal)).get(kind);
      if (found) {
        return found;
      }
    } catch (error) {
      this.known.delete(apiVersion);
      if (!(error instanceof KubernetesError && error.reason === 'notFound')) {
        throw error;
      }
    }
    this.known.delete(apiVersion);
    throw new KubernetesError(
      'unsupported',
      `${this.server}: the server has no kind ${kind} in ${apiVersion}; is its custom resource definition installed?`,
      404,
    );
  }
}

/** What is no resource is left out: then the kind is not there. */
function resourcesIn(answer: unknown): ReadonlyMap<string, Resource> {
  const listed = isMapping(answer) && Array.isArray(answer.resources) ? (answer.resources as unknown[]) : [];
  const found = new Map<string, Resource>();
  for (const each of listed) {
    const { kind, name, namespaced } = isMapping(each) ? each : {};
    // `pods/log` and its like are parts of a resource.
    if (typeof kind === 'string' && typeof name === 'string' && !name.includes('/')) {
      found.set(kind, { name, namespaced: namespaced === true });
    }
  }
  return found;
}
