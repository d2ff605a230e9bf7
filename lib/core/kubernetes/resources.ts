import { orAborted } from '../async';
import { isPlainObject } from '../validation/problems';
import type { ObjectKind } from './api';
import { KubernetesError } from './errors';

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
export function apiGroupOf(apiVersion: string): string {
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

  /** @throws KubernetesError `unsupported` where the server has no such kind; `faulty` where its answer is no list of resources */
  public async resource({ apiVersion, kind }: ObjectKind, signal?: AbortSignal): Promise<Resource> {
    let asked = this.known.get(apiVersion);
    if (!asked) {
      asked = this.ask(groupPath(apiVersion)).then((answer) => this.resourcesIn(apiVersion, answer));
      this.known.set(apiVersion, asked);
    }
    let found: ReadonlyMap<string, Resource> | undefined;
    try {
      // Others may wait for the same answer: only the waiting ends with the signal.
      found = await orAborted(asked, signal);
    } catch (error) {
      this.known.delete(apiVersion);
      if (!(error instanceof KubernetesError && error.reason === 'notFound')) {
        throw error;
      }
    }
    const resource = found?.get(kind);
    if (resource) {
      return resource;
    }
    this.known.delete(apiVersion);
    // Every API server has this group, with Namespaces in it: without it, what answers is something else.
    if (apiVersion === 'v1' && (found === undefined || found.size === 0)) {
      throw this.faulty(apiVersion, 'there is no core API');
    }
    throw new KubernetesError(
      'unsupported',
      `${this.server}: the server has no kind ${kind} in ${apiVersion}; is its custom resource definition installed?`,
      404,
    );
  }

  private resourcesIn(apiVersion: string, answer: unknown): ReadonlyMap<string, Resource> {
    const listed = isPlainObject(answer) ? answer.resources : undefined;
    // A group without resources may say so with null.
    if (!Array.isArray(listed) && listed !== null) {
      throw this.faulty(apiVersion, 'the answer is no list of resources');
    }
    const found = new Map<string, Resource>();
    for (const each of (listed ?? []) as readonly unknown[]) {
      const { kind, name, namespaced } = isPlainObject(each) ? each : {};
      if (typeof kind !== 'string' || typeof name !== 'string') {
        throw this.faulty(apiVersion, 'the answer lists what is no resource');
      }
      // `pods/log` and its like are parts of a resource.
      if (!name.includes('/')) {
        found.set(kind, { name, namespaced: namespaced === true });
      }
    }
    return found;
  }

  private faulty(apiVersion: string, what: string): KubernetesError {
    return new KubernetesError(
      'faulty',
      `${this.server}: get ${groupPath(apiVersion)}: ${what}; is this an API server?`,
    );
  }
}
