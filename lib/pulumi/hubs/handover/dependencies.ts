import type { EKS } from '@aws-sdk/client-eks';
import { steadyClock } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { iamRoleArn } from '../../../core/aws/arns';
import { awsClients } from '../../../core/aws/clients';
import { AwsError, callAws } from '../../../core/aws/errors';
import { everyPage, withList } from '../../../core/aws/pages';
import { parseDuration } from '../../../core/durations';
import { eksKubeconfig } from '../../../core/kubernetes/eks-kubeconfig';
import { openKubernetes } from '../../../core/kubernetes/open';
import { object, optional } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { following, text, that } from '../../../core/validation/values';
import type { SlotRef } from '../../fleet';
import type { InterruptSource } from '../../hooks';
import { hubApplications } from './applications';
import type { HubApplication } from './applications';

/** How one hub takes over from another. */
export interface HandoverSettings {
  /**
   * How long the hub that is to write may take until it has compared the same Applications with the same revisions.
   * @default '5m' - Argo CD looks for new commits every two to three minutes
   */
  readonly compareWithin?: string;
  /**
   * How long syncs that run on the hub that has written are waited for. After that the handover goes on: their next write
   * is refused by the managed cluster.
   * @default '5m'
   */
  readonly finishWithin?: string;
  /**
   * How long nobody may write in a managed cluster, after EKS has confirmed that the old right is gone.
   * @default '30s' - what EKS confirms may reach the API server later
   */
  readonly settle?: string;
  /** Role that EKS is asked with. @default - the program's own credentials */
  readonly roleArn?: string;
}

const timeSpan = that(
  text('a time span such as "5m" or "30s"'),
  'a time span such as "5m" or "30s"',
  (value) => parseDuration(value) !== undefined,
);

/** How one hub takes over from another. */
export const handoverSettings: Schema<HandoverSettings> = object<HandoverSettings>({
  compareWithin: optional(timeSpan),
  finishWithin: optional(timeSpan),
  settle: optional(timeSpan),
  roleArn: optional(following(iamRoleArn)),
});

/** The same, in milliseconds. */
export interface HandoverTimes {
  /** How long the hub that is to write may take to compare. */
  readonly compareWithin: number;
  /** How long running syncs are waited for. */
  readonly finishWithin: number;
  /** How long nobody may write. */
  readonly settle: number;
}

const defaults = { compareWithin: '5m', finishWithin: '5m', settle: '30s' } as const;

/** The time spans of settings without problems. */
export function handoverTimes(settings: HandoverSettings): HandoverTimes {
  const milliseconds = (key: keyof typeof defaults): number => parseDuration(settings[key] ?? defaults[key])!;
  return {
    compareWithin: milliseconds('compareWithin'),
    finishWithin: milliseconds('finishWithin'),
    settle: milliseconds('settle'),
  };
}

/** AWS, the hubs' API servers and the real time. */
export function handoverDependencies(): HandoverDependencies {
  return {
    hub: async (slot, { namespace, roleArn, profile }) => {
      const text = JSON.stringify(eksKubeconfig({ ...slot, roleArn, profile }));
      const api = await openKubernetes({ kubeconfigText: text });
      const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
      return {
        applications: async (signal) => hubApplications(await api.list(kind, { namespace, signal })),
        close: () => api.close(),
      };
    },
    rights: clusterRights,
    clock: steadyClock(),
    every: 5_000,
  };
}

function clusterRights(access: { readonly region: string; readonly roleArn?: string }): EksAccess {
  const clients = awsClients(access);
  const ask = async <Answer>(
    action: string,
    clusterName: string,
    otherwise: Answer,
    call: (eks: EKS) => Promise<Answer>,
  ): Promise<Answer> => {
    const eks = await clients.eks();
    try {
      return await callAws(
        { action: `eks:${action}`, subject: `EKS cluster ${clusterName}`, region: access.region },
        () => call(eks),
      );
    } catch (error) {
      if (error instanceof AwsError && error.failure.kind === 'notFound') {
        return otherwise;
      }
      throw error;
    }
  };
  return {
    policies: (clusterName, principalArn, abortSignal) =>
      ask<readonly string[]>('ListAssociatedAccessPolicies', clusterName, [], async (eks) => {
        const call = { action: 'eks:ListAssociatedAccessPolicies', subject: `EKS cluster ${clusterName}` };
        return everyPage(call, async (nextToken) => {
          const page = await withList(
            'associatedAccessPolicies',
            eks.listAssociatedAccessPolicies({ clusterName, principalArn, nextToken }, { abortSignal }),
          );
          const items = page.associatedAccessPolicies.flatMap(({ policyArn }) => policyArn ?? []);
          return { items, next: page.nextToken };
        });
      }),
    give: async ({ clusterName, roleArn: principalArn, policyArn, namespaces }, abortSignal) => {
      const eks = await clients.eks();
      const accessScope = namespaces
        ? { type: 'namespace' as const, namespaces: [...namespaces] }
        : { type: 'cluster' as const };
      await callAws(
        { action: 'eks:AssociateAccessPolicy', subject: `EKS cluster ${clusterName}`, region: access.region },
        () =>
          eks.associateAccessPolicy({ clusterName, principalArn, policyArn, accessScope }, { abortSignal }),
      );
    },
    takeAway: (clusterName, principalArn, policyArn, abortSignal) =>
      ask('DisassociateAccessPolicy', clusterName, undefined, async (eks) => {
        await eks.disassociateAccessPolicy({ clusterName, principalArn, policyArn }, { abortSignal });
      }),
    close: () => clients.close(),
  };
}

/** What a handover asks and tells; a test gives its own. */
export interface HandoverDependencies {
  /** The Applications of a hub's Argo CD, each time anew. */
  readonly hub: (slot: SlotRef, access: HubAccess) => Promise<HubReader>;
  readonly rights: (access: { readonly region: string; readonly roleArn?: string }) => EksAccess;
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly every: number;
  /** @default - this process */
  readonly interrupts?: InterruptSource;
}

/** How a hub's API server is asked. */
export interface HubAccess {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  readonly roleArn?: string;
  readonly profile?: string;
}

/** A connection to a hub. */
export interface HubReader {
  /** @throws KubernetesError */
  applications(signal: AbortSignal): Promise<readonly HubApplication[]>;
  close(): void;
}

/** An access policy of a role in a cluster. */
export interface GivenRight {
  readonly clusterName: string;
  readonly roleArn: string;
  readonly policyArn: string;
  /** Namespaces that it is limited to. @default - the whole cluster */
  readonly namespaces?: readonly string[];
}

/** Rights of IAM roles in clusters, as EKS has them. */
export interface EksAccess {
  /**
   * ARNs of the access policies that a role has in a cluster; none where EKS knows no such access entry.
   * @throws AwsError
   */
  policies(clusterName: string, roleArn: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Gives a policy; one that is there already is no error.
   * @throws AwsError
   */
  give(right: GivenRight, signal: AbortSignal): Promise<void>;
  /**
   * Takes a policy away; one that is not there is no error.
   * @throws AwsError
   */
  takeAway(clusterName: string, roleArn: string, policyArn: string, signal: AbortSignal): Promise<void>;
  close(): void;
}
