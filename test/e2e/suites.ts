import type { CrdName } from './tools/crds';

/** A part of the end-to-end suite: the file `NAME.e2e.ts` beside this one. */
export interface Suite {
  /** What it shows, for the listing. */
  readonly shows: string;
  /** Go tools that it drives. */
  readonly tools: readonly string[];
  /** Other programs that it needs. */
  readonly needs: readonly ('moto' | 'redis' | 'kubectl')[];
  /** Software whose custom resource definitions it installs. @default [] */
  readonly definitions?: readonly CrdName[];
  /** Whether it is only for the suite's own tests. @default false */
  readonly internal?: boolean;
}

const controlPlane = ['etcd', 'kubernetes', 'kwok'];

/** The parts by name, in the order in which they run. */
export const suites: Readonly<Record<string, Suite>> = {
  bench: {
    shows: 'the bench itself: control planes, restarts, webhooks, no process left behind',
    tools: controlPlane,
    needs: ['kubectl'],
  },
  manifests: {
    shows: 'a real API server accepts every object of the examples',
    tools: controlPlane,
    needs: [],
    definitions: ['cert-manager', 'argo-cd'],
  },
  webhooks: {
    shows: 'whom a webhook of each intent refuses while its server is down, and the injected CA',
    tools: [...controlPlane, 'cert-manager'],
    needs: [],
    definitions: ['cert-manager'],
  },
  engine: {
    shows: 'the fleet on the real Pulumi engine: up, change, destroy; wrong programs change nothing',
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto'],
  },
  stacks: {
    shows: 'the same fleet as stacks of their own, joined by references; preview equals what is registered',
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto'],
  },
  gitops: {
    shows: 'Argo CD deploys to a second cluster what an ApplicationSet says',
    tools: [...controlPlane, 'argocd'],
    needs: ['redis'],
    definitions: ['argo-cd'],
  },
  endless: {
    shows: 'starts processes and waits to be killed',
    tools: controlPlane,
    needs: [],
    internal: true,
  },
};

/** Whether a part runs where none is named. */
export function isChosenByDefault(name: string): boolean {
  return suites[name]?.internal !== true;
}
