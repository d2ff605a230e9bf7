import type { KubernetesApi } from './kubernetes-api';

/** What became of the pods. */
export interface PodCount {
  readonly tries: number;
  readonly created: number;
  /** Why the others were refused, by how often. */
  readonly refusals: ReadonlyMap<string, number>;
}

/** How pods are created. */
export interface PodStreamOptions {
  /** API servers, which take turns. */
  readonly apis: readonly KubernetesApi[];
  /** Lead of the pods' names. */
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** @default 'default' */
  readonly namespace?: string;
  /** A second. @default 20 */
  readonly rate?: number;
}

/** Creates pods at a steady rate, whatever becomes of them, until it is stopped. */
export class PodStream {
  private readonly timer: NodeJS.Timeout;
  private readonly pending = new Set<Promise<void>>();
  private readonly refusals = new Map<string, number>();
  private tries = 0;
  private created = 0;

  public constructor(private readonly options: PodStreamOptions) {
    this.timer = setInterval(() => this.next(), 1000 / (options.rate ?? 20));
  }

  /** The count so far. */
  public get count(): PodCount {
    return { tries: this.tries, created: this.created, refusals: new Map(this.refusals) };
  }

  /** How many were refused so far. */
  public get refused(): number {
    return [...this.refusals.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Waits for the last answers. */
  public async stop(): Promise<PodCount> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    return this.count;
  }

  private next(): void {
    const { apis, name, labels = {}, namespace = 'default' } = this.options;
    const number = (this.tries += 1);
    const attempt = apis[number % apis.length]!.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-${number}`, namespace, labels },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
    })
      .then(
        () => {
          this.created += 1;
        },
        (error: Error) => {
          const reason = error.message.replace(/^POST \S+: /, '');
          this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
        },
      )
      .finally(() => this.pending.delete(attempt));
    this.pending.add(attempt);
  }
}

/** A line for the test's output. */
export function countText(what: string, { tries, created, refusals }: PodCount): string {
  const reasons = [...refusals].map(([reason, times]) => `\n    ${times} x ${reason}`).join('');
  return `  ${what}: ${tries} pods tried, ${created} created, ${tries - created} refused${reasons}\n`;
}
