import type { KubernetesObject, KubernetesReader, ListOptions, ObjectReference, ObjectKind } from './api';
import { KubernetesError, isKubernetesError } from './errors';

/** Reads what it may, and notes what it may not: the caller goes on with the rest. */
export class CarefulReader {
  private readonly notes = new Set<string>();

  public constructor(
    private readonly api: KubernetesReader,
    private readonly signal?: AbortSignal,
  ) {}

  /** What could not be read, and the right that is missing, a line each. */
  public get unseen(): readonly string[] {
    return [...this.notes];
  }

  /** Notes something else that could not be looked at. */
  public note(line: string): void {
    this.notes.add(line);
  }

  /**
   * All objects of a kind; none where the cluster does not know the kind.
   *
   * @returns undefined where they may not be read
   * @throws KubernetesError for every other failure
   */
  public async list(
    kind: ObjectKind,
    options: Omit<ListOptions, 'signal'> = {},
  ): Promise<readonly KubernetesObject[] | undefined> {
    try {
      return await this.api.list(kind, { ...options, ...(this.signal ? { signal: this.signal } : {}) });
    } catch (error) {
      if (isKubernetesError(error, 'unsupported', 'notFound')) {
        return [];
      }
      return this.denied(error);
    }
  }

  /**
   * One object.
   *
   * @returns `missing` where there is none, undefined where it may not be read
   * @throws KubernetesError for every other failure
   */
  public async get(reference: ObjectReference): Promise<KubernetesObject | 'missing' | undefined> {
    try {
      return await this.api.get(reference, this.signal);
    } catch (error) {
      if (isKubernetesError(error, 'unsupported', 'notFound')) {
        return 'missing';
      }
      return this.denied(error);
    }
  }

  private denied(error: unknown): undefined {
    if (!(error instanceof KubernetesError) || error.reason !== 'denied') {
      throw error;
    }
    this.notes.add(error.message);
    return undefined;
  }
}
